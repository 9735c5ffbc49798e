// SPDX-License-Identifier: BSD-3-Clause
// Prices of measuring on a class of machines, as `epk calibrate` found them: the file (EPK_COSTS), and the part of it
// that the manifest of a run keeps. docs/formats.md describes both.
#ifndef EPIK_ARCHIVE_FILES_CALIBRATION_H_
#define EPIK_ARCHIVE_FILES_CALIBRATION_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace epik::archive {

// Machines of one class have the same prices.
struct HostClass {
  std::string processor;  // the model, as the system calls it
  int processors = 0;     // 0: not known
  std::string Words() const;
  bool operator==(const HostClass&) const = default;
};

struct Calibration {
  // One event, measured in one way. Nanoseconds that it adds to a program, with few data in use and with many, and the
  // same two beside a busy neighbour; negative: not measured.
  struct Price {
    std::string event, mode;
    double quiet_small = -1, quiet_large = -1, busy_small = -1, busy_large = -1;
    double Least() const;
    double Most() const;
  };

  bool there = false;
  HostClass host;
  std::string measured;  // date of the measurement; ISO 8601
  std::string file;      // path of the file that was read
  std::vector<Price> prices;

  const Price* Find(std::string_view event, std::string_view mode) const;
  // The price on a quiet machine with few data in use; `otherwise` when it is not known.
  double Quiet(std::string_view event, std::string_view mode, double otherwise = 0) const;

  std::string ToJson() const;
  // Returns false, with a reason ("is not …"), when ToJson did not write the text.
  static bool FromJson(const std::string& text, Calibration* calibration, std::string* error);
};

// Pairs of event and mode that a file may have, in the order of the table.
struct PriceName {
  const char *event, *mode, *meaning;
};
std::span<const PriceName> PriceNames();

// The file that `epk calibrate` writes for that class: below $XDG_CONFIG_HOME/epik or ~/.config/epik. Empty when
// neither variable is set.
std::string DefaultCalibrationPath(const HostClass& host);

// Returns false, with one line, when the file is no regular file, is too large, is damaged, or belongs to another class
// of machine. A class without a model fits every file, and a class without a number of processors fits every number.
bool ReadCalibration(const std::string& path, const HostClass& host, Calibration* calibration, std::string* error);

// Reads the file that EPK_COSTS names, or the one in the default place, which may be missing. `*error` stays empty
// then.
bool FindCalibration(const std::string& named, const HostClass& host, Calibration* calibration, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_CALIBRATION_H_
