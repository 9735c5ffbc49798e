// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/metrics/plugin.h"

#include <dlfcn.h>
#include <link.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "runtime/base/forked.h"

namespace epik::metrics {
namespace {

using Entry = const EpikMetricPlugin* (*)(void);

const char* Or(const char* text, const char* other) { return text != nullptr ? text : other; }

class Plugin final : public Source {
 public:
  explicit Plugin(const EpikMetricPlugin* plugin) : plugin_(plugin) {}

  std::vector<Counter> Offers() override {
    uint32_t count = 0;
    const EpikMetric* metrics = plugin_->metrics(&count);
    std::vector<Counter> offers;
    for (uint32_t i = 0; i < count; ++i) {
      const EpikMetric& metric = metrics[i];
      const double scale = std::isfinite(metric.scale) && metric.scale != 0 ? metric.scale : 1;
      offers.push_back({std::string(plugin_->name) + "::" + Or(metric.name, "?"), Or(metric.unit, ""),
                        Or(metric.description, ""), metric.kind == EPIK_METRIC_PEAK ? Kind::kPeak : Kind::kSum, scale,
                        Or(metric.missing, "")});
    }
    return offers;
  }

  void Choose(std::vector<Counter>* wanted) override {
    const std::vector<Counter> offers = Offers();
    std::vector<uint32_t> chosen;
    for (Counter& counter : *wanted) {
      counter = FindOffer(plugin_->name, offers, counter.name);
      if (!counter.missing.empty()) continue;
      for (uint32_t i = 0; i < offers.size(); ++i) {
        if (offers[i].name == counter.name) chosen.push_back(i);
      }
    }
    chosen_ = chosen;
    if (!chosen.empty() && plugin_->choose != nullptr) {
      plugin_->choose(chosen.data(), static_cast<uint32_t>(chosen.size()));
    }
  }

  size_t StateBytes() const override { return sizeof(void*); }
  const char* OpenThread(void* state) override {
    return plugin_->open_thread != nullptr ? plugin_->open_thread(static_cast<void**>(state)) : nullptr;
  }
  void Read(void* state, uint64_t* values) override { plugin_->read(*static_cast<void**>(state), values); }
  void CloseThread(void* state) override {
    if (plugin_->close_thread != nullptr) plugin_->close_thread(*static_cast<void**>(state));
  }
  void ForgetThread(void* state) override {
    if (plugin_->forget_thread != nullptr) plugin_->forget_thread(*static_cast<void**>(state));
  }

  void Finish(AddTo add, std::vector<std::string>*) override {
    if (plugin_->finish == nullptr) return;
    Adding adding{this, add};
    plugin_->finish(
        [](void* context, uint64_t place, uint32_t metric, uint64_t value) {
          const auto& adds = *static_cast<Adding*>(context);
          for (size_t i = 0; i < adds.plugin->chosen_.size(); ++i) {
            if (adds.plugin->chosen_[i] == metric) adds.add(place, i, value);
          }
        },
        &adding);
  }

 private:
  struct Adding {
    const Plugin* plugin;
    AddTo add;
  };

  const EpikMetricPlugin* plugin_;
  std::vector<uint32_t> chosen_;
};

// Stands for a library of ours that counts nothing here.
class Absent final : public Source {
 public:
  Absent(const char* name, std::string why) : name_(name), why_(std::move(why)) {}
  std::vector<Counter> Offers() override { return {}; }
  void Choose(std::vector<Counter>* wanted) override {
    for (Counter& counter : *wanted) {
      counter.name = std::string(name_) + "::" + counter.name;
      counter.missing = why_;
    }
  }
  const char* OpenThread(void*) override { return nullptr; }
  void Read(void*, uint64_t*) override {}

 private:
  const char* name_;
  const std::string why_;
};

// A malloc in front of that of the library is called in its place, and need not call it. A program without
// position-independent code that takes the address of malloc has a symbol without a definition.
bool HasMalloc(Entry library) {
  Dl_info ours, found;
  void* symbol = nullptr;
  const void* first = dlsym(RTLD_DEFAULT, "malloc");
  if (first == nullptr || dladdr1(first, &found, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr) return true;
  if (static_cast<const ElfW(Sym)*>(symbol)->st_shndx == SHN_UNDEF) return true;
  return dladdr(reinterpret_cast<const void*>(library), &ours) == 0 || found.dli_fbase == ours.dli_fbase;
}

// The library must be loaded before the program allocates or reads.
Source* Preloaded(const char* name, const char* symbol, const char* library) {
  const bool may_ask = !base::LocksMayBeLost();
  const auto entry = may_ask ? reinterpret_cast<Entry>(dlsym(RTLD_DEFAULT, symbol)) : nullptr;
  const EpikMetricPlugin* plugin = entry != nullptr ? entry() : nullptr;
  if (plugin == nullptr || plugin->version != EPIK_METRIC_PLUGIN_VERSION) {
    return new Absent(name, std::string(library) + " is not in the program: start it with epk run, or preload it");
  }
  if (std::strcmp(name, "heap") == 0 && !HasMalloc(entry)) {
    return new Absent(name,
                      "the program calls another malloc than ours: its own, or that of a sanitizer; build it without");
  }
  return new Plugin(plugin);
}

}  // namespace

Source* MakePlugin(const EpikMetricPlugin* plugin) { return new Plugin(plugin); }
Source* MakeHeap() { return Preloaded("heap", "epik_metric_heap", "libepk_heap.so"); }
Source* MakeIo() { return Preloaded("io", "epik_metric_io", "libepk_io.so"); }

const EpikMetricPlugin* LoadPlugin(const std::string& path, std::string* error) {
  // Refuses bare names, because the loader would search for them in the folders of LD_LIBRARY_PATH, which anybody may
  // have set.
  const bool is_named = !path.empty() && path[0] == '/';
  if (base::LocksMayBeLost()) {
    *error = "a forked child of a program with threads loads no library";
    return nullptr;
  }
  void* library = is_named ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!is_named) {
    *error = "it needs an absolute path";
    return nullptr;
  }
  if (library == nullptr) {
    *error = Or(dlerror(), "it cannot be loaded");
    return nullptr;
  }
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "epik_metric_plugin"));
  const EpikMetricPlugin* plugin = entry != nullptr ? entry() : nullptr;
  if (entry == nullptr) {
    *error = "it has no function epik_metric_plugin";
  } else if (plugin == nullptr) {
    *error = "it has nothing to offer here";
  } else if (plugin->version != EPIK_METRIC_PLUGIN_VERSION) {
    *error = "it is of version " + std::to_string(plugin->version) + ", this EPIK knows " +
             std::to_string(EPIK_METRIC_PLUGIN_VERSION);
  } else if (plugin->name == nullptr || plugin->metrics == nullptr || plugin->read == nullptr) {
    *error = "it lacks a name, metrics or read";
  } else {
    return plugin;
  }
  return nullptr;
}

}  // namespace epik::metrics
