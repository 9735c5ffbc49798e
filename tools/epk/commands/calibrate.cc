// SPDX-License-Identifier: BSD-3-Clause
// epk calibrate: measures the cost of measuring on this machine, for runs and reports.
#include "tools/calibrate/calibrate.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "archive/close/origin.h"
#include "archive/files/atomic_file.h"
#include "archive/files/calibration.h"
#include "config/own_executable.h"
#include "tools/calibrate/probe.h"
#include "tools/epk/command.h"
#include "tools/epk/install_dirs.h"
#include "tools/epk/message.h"
#include "tools/epk/output.h"
#include "view/number.h"
#include "view/table.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

using archive::Calibration;
using archive::HostClass;

constexpr char kCalibrateManual[] = R"(
DESCRIPTION
  Measures what EPIK adds to a program on this machine: the time of an enter and exit of a function, of a call of MPI, of
  a record of a message, and of a construct of OpenMP, in the summary, with a trace, sampled, and filtered but called.
  Each price is found four times: with few data in use and with many, alone and beside a neighbour that keeps the other
  hardware thread of the core busy, or another processor. This takes some seconds. Run it on a quiet machine.

  For MPI it measures what EPIK does in a call that sends; it does not measure MPI itself, and needs none. OpenMP
  needs GCC's libgomp.so.1.

  The prices are written to a file for this class of machine, a model of processor and a number of them:
  $XDG_CONFIG_HOME/epik/costs_MODEL_xN.json, or the same in ~/.config; `-o` names another one. Runs find it there, or by
  EPK_COSTS, and note the prices in the archive; then `epk compensate`, `predict` and `score` use them.
  docs/compensation.md says how.

EXAMPLES
    epk calibrate
    epk calibrate -o node.json
    EPK_COSTS=node.json epk run ./solver
    EPK_COSTS=node.json epk compensate epik_solver_1x1_sum

SEE ALSO
  epk-compensate(1), epk-score(1), epk-doctor(1)
)";

struct CalibrateOptions {
  std::string output, format = "text", probe;
  bool busy = false;
};

std::string Today() {
  const time_t now = time(nullptr);
  tm parts{};
  char text[32];
  if (gmtime_r(&now, &parts) == nullptr || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) return "";
  return text;
}

std::string Text(const Calibration& calibration) {
  const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
  const auto cell = [&](double ns) { return ns < 0 ? std::string("-") : view::Seconds(ns * 1e-9, terminal.unicode); };
  using enum view::Align;
  view::Table table({{"event"},
                     {"mode"},
                     {"quiet", kRight},
                     {"many data", kRight},
                     {"busy", kRight},
                     {"busy, many data", kRight},
                     {"what is measured"}});
  for (const archive::PriceName& name : archive::PriceNames()) {
    const Calibration::Price* price = calibration.Find(name.event, name.mode);
    if (price == nullptr) continue;
    table.AddRow({name.event, name.mode, cell(price->quiet_small), cell(price->quiet_large), cell(price->busy_small),
                  cell(price->busy_large), name.meaning});
  }
  return "What EPIK adds on " + calibration.host.Words() + ":\n\n" + table.Render(terminal);
}

// A folder that the destructor removes, with its files, and so does a signal that ends this process. Another thread
// waits for the signals, because a handler may not remove folders.
class Scratch {
 public:
  Scratch() {
    const char* folder = std::getenv("TMPDIR");
    path_ = std::string(folder == nullptr || folder[0] != '/' ? "/tmp" : folder) + "/epik_calibrate.XXXXXX";
    sigemptyset(&signals_);
    for (const int each : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals_, each);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);  // first: a signal must not come between the folder and the thread
    if (mkdtemp(path_.data()) == nullptr) {
      pthread_sigmask(SIG_SETMASK, &before_, nullptr);
      throw Fault("no folder can be made at " + path_);
    }
    waiting_ = std::thread([this] { Wait(); });
  }
  ~Scratch() {
    ends_ = true;
    pthread_kill(waiting_.native_handle(), SIGTERM);
    waiting_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    Remove();
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  void Remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  void Wait() {
    int signal = 0;
    if (sigwait(&signals_, &signal) != 0 || ends_) return;
    Remove();
    ::signal(signal, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
    raise(signal);
  }

  std::string path_;
  sigset_t signals_, before_;
  std::atomic<bool> ends_ = false;
  std::thread waiting_;
};

// Measuring takes minutes, so this finds out before whether the result can be written.
void PrepareToWrite(const std::string& path) {
  std::string error;
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, failure);
  if (std::filesystem::is_directory(path, failure)) throw Fault(path + " is a directory");
  archive::AtomicFile attempt;
  if (!attempt.Open(path, &error)) throw Fault(error);
}

void Write(const std::string& path, const Calibration& calibration) {
  std::string error;
  if (!archive::WriteFileAtomically(path, calibration.ToJson(), &error)) throw Fault(error);
}

int RunCalibrate(const CalibrateOptions& options) {
  if (!options.probe.empty()) {
    calibrate::Probe(options.probe);
    return kFault;
  }
  if (options.busy) {
    calibrate::BeBusy();
    return kDone;
  }
  Calibration calibration;
  calibration.host = archive::ThisHost();
  calibration.measured = Today();
  const std::string path = options.output.empty() ? archive::DefaultCalibrationPath(calibration.host) : options.output;
  if (path.empty()) throw Fault("neither XDG_CONFIG_HOME nor HOME says where to write: name a file with -o");
  PrepareToWrite(path);
  const auto library = FindInstallDirs().Library("libepk.so");
  if (!library) throw Fault("libepk.so is not installed beside epk");
  const std::string self = config::OwnExecutable();
  const Scratch scratch;
  calibrate::Request request;
  request.probe = {self, "calibrate", "--probe"};
  request.busy = {self, "calibrate", "--busy"};
  request.library = std::filesystem::absolute(*library);
  request.scratch = scratch.path();
  std::vector<std::string> remarks;
  std::string error;
  const bool good = calibrate::Calibrate(request, &calibration, &remarks, &error);
  for (const std::string& remark : remarks) TellUser("calibrate", remark);
  if (!good) throw Fault(error);
  Write(path, calibration);
  const std::string text = options.format == "json" ? calibration.ToJson() : Text(calibration);
  WriteOutput("", [&](const report::Sink& sink, std::string*) {
    sink(text);
    return true;
  });
  fprintf(stderr, "epk calibrate: wrote %s\n", path.c_str());
  return kDone;
}

}  // namespace

void AddCalibrate(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<CalibrateOptions>();
  app.AddOption("-o,--output", options->output, "The file to write (default: one for this class of machine)")
      .TypeName("FILE");
  app.AddOption("--format", options->format, "How to show the prices").OneOf({"text", "json"});
  // The option with which this command starts itself.
  app.AddOption("--probe", options->probe).Hidden();
  app.AddFlag("--busy", options->busy).Hidden();
  app.Footer(kCalibrateManual);
  run = [options] { return RunCalibrate(*options); };
}

}  // namespace epik::epk
