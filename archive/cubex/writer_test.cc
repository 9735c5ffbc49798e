// SPDX-License-Identifier: BSD-3-Clause
#include "archive/cubex/writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "archive/cubex/reader.h"
#include "archive/cubex/test_profiles.h"
#include "archive/files/from_memory.h"

namespace epik::archive {
namespace {

std::string Hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    char two[4];
    std::snprintf(two, sizeof two, "%02x ", static_cast<unsigned char>(c));
    text += two;
  }
  return text;
}

std::string WriteWhole(const Profile& profile, const std::string& name) {
  std::string error;
  EXPECT_TRUE(WriteCubex(TestPath(name), profile, {}, &error)) << error;
  return ReadWhole(TestPath(name));
}

// The bytes that CUBE's own writer gives for the same experiment.
TEST(CubexWriter, WritesTheBytesOfTheValidatedExample) {
  const std::string file = WriteWhole(ExampleProfile(), "example.cubex");
  EXPECT_EQ(Hex(GetMember(file, "1.index")),
            "43 55 42 45 58 2e 49 4e 44 45 58 01 00 00 00 00 00 01 03 00 00 00 00 00 00 00 01 00 00 00 03 00 00 00 ");
  const std::string row =
      "00 00 00 00 00 00 20 40 00 00 00 00 00 00 22 40 00 00 00 00 00 00 24 40 00 00 00 00 00 00 26 40 ";
  EXPECT_EQ(Hex(GetMember(file, "1.data")), "43 55 42 45 58 2e 44 41 54 41 " + row + row + row);
}

TEST(CubexWriter, WritesTheAnchorAsCubesScannerWantsIt) {
  const std::string anchor = GetMember(WriteWhole(ExampleProfile(), "anchor.cubex"), "anchor.xml");
  EXPECT_EQ(anchor.rfind("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n", 0), 0u);
  EXPECT_NE(anchor.find("<metric id=\"1\" type=\"INCLUSIVE\"><disp_name>Mpi</disp_name><uniq_name>mpi</uniq_name>"
                        "<dtype>DOUBLE</dtype><uom>sec</uom><url></url><descr></descr>\n</metric>\n</metric>"),
            std::string::npos);
  EXPECT_NE(anchor.find("<region id=\"2\" mod=\"MPI\" begin=\"-1\" end=\"-1\"><name>MPI_Send</name>"
                        "<mangled_name>MPI_Send</mangled_name><paradigm>mpi</paradigm><role>point2point</role>"
                        "<url></url><descr>MPI</descr></region>"),
            std::string::npos);
  EXPECT_EQ(anchor.find('\r'), std::string::npos);
  EXPECT_EQ(anchor.find('\''), std::string::npos);
  EXPECT_EQ(anchor.find("<!"), std::string::npos);
}

TEST(CubexWriter, EscapesWhatAnchorsCannotHold) {
  Profile profile = ExampleProfile();
  profile.regions[0].name = std::string("a<b>&\"c' \n\x01\xff") + "é";
  const std::string anchor = GetMember(WriteWhole(profile, "escape.cubex"), "anchor.xml");
  EXPECT_NE(anchor.find("<name>a&lt;b&gt;&amp;&quot;c&apos;   ?é</name>"), std::string::npos) << anchor;
}

TEST(CubexWriter, MarksADifferenceOfRuns) {
  for (const bool is_difference : {false, true}) {
    Profile profile = ExampleProfile();
    profile.is_difference = is_difference;
    std::string error;
    // The profile knows it, so the attribute of a file that was read before is not copied.
    ASSERT_TRUE(WriteCubex(TestPath("difference.cubex"), profile, {{"EPIK difference", "yes"}}, &error)) << error;
    CubexReader reader;
    ASSERT_TRUE(reader.Open(TestPath("difference.cubex"), &error)) << error;
    EXPECT_EQ(reader.definitions().is_difference, is_difference);
    EXPECT_EQ(reader.attributes().size(), is_difference ? 3u : 2u);
    Profile again;
    ASSERT_TRUE(ReadCubex(TestPath("difference.cubex"), &again, &error)) << error;
    EXPECT_EQ(again.is_difference, is_difference);
  }
}

TEST(CubexWriter, LeavesOutAttributesThatSteerTheReader) {
  std::string error;
  ASSERT_TRUE(WriteCubex(TestPath("attributes.cubex"), ExampleProfile(),
                         {{"CLUSTERING", "ON"}, {"Creator", "me"}, {"free", "<1>"}}, &error));
  CubexReader reader;
  ASSERT_TRUE(reader.Open(TestPath("attributes.cubex"), &error)) << error;
  EXPECT_EQ(reader.attributes(), (Attributes{{"CubePL Version", "1.1"}, {"Creator", "me"}, {"free", "<1>"}}));
}

TEST(CubexWriter, NeverWritesAMemberOfAMultipleOf512Bytes) {
  // 10 + 8 n and 22 + 4 n bytes are never a multiple of 512. A text of growing length brings the anchor to every
  // remainder.
  for (int length = 0; length < 520; ++length) {
    Profile profile = ExampleProfile();
    profile.regions[0].description.assign(static_cast<size_t>(length), 'x');
    std::string error;
    ASSERT_TRUE(WriteCubex(TestPath("512.cubex"), profile, {}, &error)) << error;
    const std::string file = ReadWhole(TestPath("512.cubex"));
    const std::string anchor = GetMember(file, "anchor.xml");
    ASSERT_NE(anchor.size() % 512, 0u);
    ASSERT_FALSE(anchor.empty());
    Profile back;
    ASSERT_TRUE(ReadCubex(FromMemory(file), &back, &error)) << error;
  }
}

TEST(CubexWriter, InclusiveMetricsGetRowsForAncestors) {
  Profile profile = ExampleProfile();
  profile.values[0] = Values(Type::kDouble, 4, 4);
  profile.values[0].Set(2, 1, 5.0);
  const std::string file = WriteWhole(profile, "ancestors.cubex");
  EXPECT_EQ(GetMember(file, "0.index").size(), 22u + 3 * 4);
  EXPECT_EQ(GetMember(file, "0.data").size(), 10u + 3 * 32);
}

TEST(CubexWriter, MetricsWithoutValuesHaveNoMembersButMinima) {
  Profile profile = ExampleProfile();
  profile.AddMetric({"min_time", "", "sec", "", Type::kMin, Along::kExclusive, kNone});
  profile.AddMetric({"bytes", "", "bytes", "", Type::kUint64, Along::kExclusive, kNone});
  const std::string file = WriteWhole(profile, "empty.cubex");
  EXPECT_EQ(GetMember(file, "4.index").size(), 22u);
  EXPECT_EQ(GetMember(file, "4.data"), "CUBEX.DATA");
  EXPECT_EQ(file.find("5.index"), file.npos);
  EXPECT_EQ(file.find("5.data"), file.npos);
  Profile back;
  std::string error;
  ASSERT_TRUE(ReadCubex(TestPath("empty.cubex"), &back, &error)) << error;
  EXPECT_FALSE(back.values[4].Has(0));
  EXPECT_EQ(back.values[4].Real(0, 0), std::numeric_limits<double>::max());
  EXPECT_FALSE(back.values[5].Has(0));
}

TEST(CubexWriter, NothingUnderTheNameUntilFinished) {
  const std::string folder = TestPath("atomic");
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  {
    CubexWriter writer;
    ASSERT_TRUE(writer.Open(folder + "/p.cubex"));
    ASSERT_TRUE(writer.Begin(ExampleProfile(), {}));
    ASSERT_TRUE(writer.BeginMetric(2, {true}));
    EXPECT_EQ(writer.rows(), std::vector<uint32_t>{0});
    EXPECT_FALSE(std::filesystem::exists(folder + "/p.cubex"));
    EXPECT_FALSE(writer.EndMetric());  // a row is missing
    EXPECT_NE(writer.error().find("metric visits: fewer rows than announced"), std::string::npos) << writer.error();
    EXPECT_FALSE(writer.Finish());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(CubexWriter, StreamsRowsInTheOrderOfTheFile) {
  const Profile profile = ExampleProfile();
  CubexWriter writer;
  ASSERT_TRUE(writer.Open(TestPath("stream.cubex")));
  ASSERT_TRUE(writer.Begin(profile, {}));
  for (const uint32_t m : {3u, 0u, 2u, 1u}) {  // metrics in any order
    ASSERT_TRUE(writer.BeginMetric(m, m == 3 ? std::vector<bool>{false, false, true} : std::vector<bool>(4, true)));
    if (m == 0) {
      EXPECT_EQ(writer.rows(), (std::vector<uint32_t>{0, 1, 3, 2}));
    }
    const std::vector<uint64_t> none(4);
    for (const uint32_t p : writer.rows()) {
      ASSERT_TRUE(writer.AppendRow(profile.values[m].Has(p) ? profile.values[m].Row(p) : none.data()));
    }
    ASSERT_TRUE(writer.EndMetric()) << writer.error();
  }
  EXPECT_TRUE(writer.Finish()) << writer.error();
  EXPECT_FALSE(writer.BeginMetric(0, {}));
  Profile back;
  std::string error;
  ASSERT_TRUE(ReadCubex(TestPath("stream.cubex"), &back, &error)) << error;
  ExpectSameProfile(profile, back);
}

TEST(CubexWriter, RefusesProfilesThatReadersCouldNotTake) {
  struct Case {
    const char* reason;
    std::function<void(Profile*)> spoil;
  };
  const Case cases[] = {
      {"it has no call path", [](Profile* p) { p->call_paths.clear(); }},
      {"it has no metric", [](Profile* p) { p->metrics.clear(); }},
      {"it has no location", [](Profile* p) { p->locations.clear(); }},
      {"a call path is of no region", [](Profile* p) { p->call_paths[1].region = 9; }},
      {"a call path comes before its parent", [](Profile* p) { p->call_paths[1].parent = 1; }},
      {"two metrics are called time", [](Profile* p) { p->metrics[3].unique_name = "time"; }},
      {"metric 2 has no name", [](Profile* p) { p->metrics[2].unique_name.clear(); }},
      {"is a minimum or maximum and inclusive", [](Profile* p) { p->metrics[0].type = Type::kMin; }},
      {"metric time comes before its parent", [](Profile* p) { p->metrics[0].parent = 1; }},
      {"a process has rank -1", [](Profile* p) { p->processes[1].rank = -1; }},
      {"a process runs on a node that does not exist", [](Profile* p) { p->processes[1].host = 1; }},
      {"a location is of no process", [](Profile* p) { p->locations[3].process = 2; }},
      {"locations are not ordered by process", [](Profile* p) { std::swap(p->locations[1], p->locations[2]); }},
  };
  for (const Case& c : cases) {
    Profile profile = ExampleProfile();
    c.spoil(&profile);
    std::string error;
    EXPECT_FALSE(WriteCubex(TestPath("refused.cubex"), profile, {}, &error)) << c.reason;
    EXPECT_NE(error.find(c.reason), std::string::npos) << error;
    EXPECT_FALSE(std::filesystem::exists(TestPath("refused.cubex")));
  }
}

TEST(CubexWriter, SaysWhyAFileCannotBeWritten) {
  std::string error;
  EXPECT_FALSE(WriteCubex(TestPath("no/such/folder/p.cubex"), ExampleProfile(), {}, &error));
  EXPECT_NE(error.find("p.cubex: cannot be created: No such file or directory"), std::string::npos) << error;
}

TEST(CubexWriter, RefusesMoreRowsThanReadersCanAddress) {
  Profile profile = ExampleProfile();
  profile.locations.assign(70000, {1, 0, "t"});
  profile.call_paths.assign(70000, {0, kNone});
  CubexWriter writer;
  ASSERT_TRUE(writer.Open(TestPath("large.cubex")) && writer.Begin(profile, {})) << writer.error();
  EXPECT_FALSE(writer.BeginMetric(0, std::vector<bool>(70000, true)));
  EXPECT_NE(writer.error().find("metric time: 70000 call paths of 70000 locations"), std::string::npos);
}

}  // namespace
}  // namespace epik::archive
