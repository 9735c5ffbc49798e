// SPDX-License-Identifier: BSD-3-Clause
// Prices are read as they were written, and all other files are refused in one line.
#include "archive/files/calibration.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "archive/files/manifest.h"

namespace epik::archive {
namespace {

const HostClass kHost = {"AMD EPYC 7B13", 2};

Calibration Sample() {
  Calibration sample;
  sample.host = kHost;
  sample.measured = "2026-11-23T12:00:00Z";
  sample.prices = {{"function", "summary", 20, 60, 25, 80}, {"mpi", "both", 50, 51, -1, -1}};
  return sample;
}

class Files : public ::testing::Test {
 protected:
  Files() : folder_(std::string(std::getenv("TEST_TMPDIR")) + "/files") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  std::string Write(const std::string& text) {
    std::ofstream(folder_ + "/costs.json") << text;
    return folder_ + "/costs.json";
  }
  // The reason for the refusal, in one line that names the file.
  std::string Refused(const std::string& path, const HostClass& host = kHost) {
    Calibration read;
    std::string error;
    EXPECT_FALSE(ReadCalibration(path, host, &read, &error)) << path;
    EXPECT_FALSE(read.there);
    EXPECT_NE(error.find(path), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    return error;
  }
  std::string folder_;
};

TEST_F(Files, AreReadAsTheyWereWritten) {
  const std::string path = Write(Sample().ToJson());
  Calibration read;
  std::string error;
  ASSERT_TRUE(ReadCalibration(path, kHost, &read, &error)) << error;
  EXPECT_TRUE(read.there);
  EXPECT_EQ(read.file, path);
  EXPECT_EQ(read.host, kHost);
  ASSERT_NE(read.Find("function", "summary"), nullptr);
  EXPECT_DOUBLE_EQ(read.Find("function", "summary")->Least(), 20);
  EXPECT_DOUBLE_EQ(read.Find("function", "summary")->Most(), 80);
  EXPECT_DOUBLE_EQ(read.Find("mpi", "both")->Most(), 51);
  EXPECT_LT(read.Find("mpi", "both")->busy_small, 0);
  EXPECT_EQ(read.Find("mpi", "summary"), nullptr);
  EXPECT_DOUBLE_EQ(read.Quiet("openmp", "summary", 7), 7);
}

TEST_F(Files, OfAnotherMachineAreRefused) {
  const std::string path = Write(Sample().ToJson());
  EXPECT_NE(Refused(path, {"Intel Xeon", 2}).find("of another machine: AMD EPYC 7B13 × 2, not Intel Xeon × 2"),
            std::string::npos);
  Refused(path, {"AMD EPYC 7B13", 4});
  // Unknown properties of a machine cannot differ.
  Calibration read;
  std::string error;
  EXPECT_TRUE(ReadCalibration(path, {"AMD EPYC 7B13", 0}, &read, &error)) << error;
  EXPECT_TRUE(ReadCalibration(path, {}, &read, &error)) << error;
}

TEST_F(Files, ThatAreDamagedAreRefused) {
  const std::string good = Sample().ToJson();
  for (size_t length = 0; length + 2 < good.size(); length += 7) Refused(Write(good.substr(0, length)));
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return Refused(Write(text));
  };
  changed("\"epik_costs\": 1", "\"epik_costs\": 2");
  changed("\"epik_costs\": 1", "\"epik_costs\": \"1\"");
  changed("20.0", "-20.0");
  changed("20.0", "1e300");
  changed("20.0", "\"20\"");
  changed("20.0", "0.0");
  changed("\"function\"", "\"function\\n\"");
  changed("\"mpi\"", "\"cuda\"");
  changed("\"processors\": 2", "\"processors\": -2");
  Refused(Write(std::string(60000, '[')));
  Refused(Write("null"));
}

TEST_F(Files, ThatAreNoFilesAreRefused) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Refused(pipe);
  Refused("/dev/zero");
  Refused(folder_);
  Refused(folder_ + "/missing");
  EXPECT_NE(Refused(Write(std::string(100 << 10, ' '))).find("64 KiB"), std::string::npos);
}

TEST_F(Files, OfTheDefaultPlaceNeedNotBeThere) {
  setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  const std::string path = DefaultCalibrationPath(kHost);
  EXPECT_EQ(path, folder_ + "/epik/costs_AMD-EPYC-7B13_x2.json");
  Calibration read;
  std::string error;
  EXPECT_FALSE(FindCalibration("", kHost, &read, &error));
  EXPECT_EQ(error, "");
  std::filesystem::create_directories(folder_ + "/epik");
  std::ofstream(path) << Sample().ToJson();
  EXPECT_TRUE(FindCalibration("", kHost, &read, &error)) << error;
  EXPECT_EQ(read.file, path);
  std::ofstream(path) << "{}";
  EXPECT_FALSE(FindCalibration("", kHost, &read, &error));
  EXPECT_NE(error, "");
  EXPECT_FALSE(FindCalibration("", {}, &read, &error));
  EXPECT_EQ(error, "");
  setenv("XDG_CONFIG_HOME", "relative", 1);
  unsetenv("HOME");
  EXPECT_EQ(DefaultCalibrationPath(kHost), "");
}

TEST(Manifests, KeepPrices) {
  Manifest manifest, read;
  std::string error;
  ASSERT_TRUE(Manifest::FromJson(manifest.ToJson(), &read, &error)) << error;
  EXPECT_FALSE(read.costs.there);
  manifest.costs = Sample();
  manifest.costs.there = true;
  manifest.costs.file = "/tmp/costs.json";
  manifest.processors = 2;
  ASSERT_TRUE(Manifest::FromJson(manifest.ToJson(), &read, &error)) << error;
  EXPECT_TRUE(read.costs.there);
  EXPECT_EQ(read.costs.file, "/tmp/costs.json");
  EXPECT_EQ(read.costs.host, kHost);
  EXPECT_EQ(read.costs.prices.size(), 2u);
  EXPECT_EQ(read.processors, 2);
}

}  // namespace
}  // namespace epik::archive
