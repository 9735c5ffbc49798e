// SPDX-License-Identifier: BSD-3-Clause
#include "archive/cubex/reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "archive/cubex/test_profiles.h"
#include "archive/cubex/writer.h"
#include "archive/files/from_memory.h"

namespace epik::archive {
namespace {

constexpr uint64_t kSeed = 20240229;

std::string ReadError(const std::string& file) {
  Profile profile;
  std::string error;
  EXPECT_FALSE(ReadCubex(FromMemory(file), &profile, &error));
  return error;
}

// Replaces one member of the example, or its anchor text.
std::string ExampleWith(const std::string& name, const std::function<void(std::string*)>& change) {
  const std::string file = EncodeCubex(ExampleProfile(), {});
  TarContent members;
  for (const char* member :
       {"0.index", "0.data", "1.index", "1.data", "2.index", "2.data", "3.index", "3.data", "anchor.xml"}) {
    members.emplace_back(member, GetMember(file, member));
    if (name == member) change(&members.back().second);
  }
  return MakeTar(members);
}

std::string ExampleReplacing(const std::string& from, const std::string& to) {
  return ExampleWith("anchor.xml", [&](std::string* anchor) {
    const size_t at = anchor->find(from);
    ASSERT_NE(at, std::string::npos) << from;
    anchor->replace(at, from.size(), to);
  });
}

TEST(CubexReader, GivesBackWhatWasWritten) {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + " round " + std::to_string(round));
    const Profile profile = RandomProfile(&random);
    std::string error;
    ASSERT_TRUE(WriteCubex(TestPath("round.cubex"), profile, {}, &error)) << error;
    Profile back;
    std::vector<std::string> notes;
    ASSERT_TRUE(ReadCubex(TestPath("round.cubex"), &back, &error, &notes)) << error;
    ExpectSameProfile(profile, back);
    EXPECT_TRUE(notes.empty());
    if (HasFailure()) break;
  }
}

TEST(CubexReader, ReadsEveryWayOfStoringTheSame) {
  std::mt19937_64 random(kSeed);
  for (int round = 0; round < 200; ++round) {
    const Profile profile = RandomProfile(&random);
    const unsigned bits = static_cast<unsigned>(round);
    const Encoding encoding{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, 8};
    SCOPED_TRACE("seed " + std::to_string(kSeed) + " round " + std::to_string(round));
    Profile back;
    std::string error;
    ASSERT_TRUE(ReadCubex(FromMemory(EncodeCubex(profile, encoding)), &back, &error)) << error;
    ExpectSameProfile(profile, back);
    if (HasFailure()) break;
  }
}

TEST(CubexReader, WidensNarrowIntegers) {
  for (const bool big_endian : {false, true}) {
    for (const size_t width : {1, 2, 4}) {
      Profile profile = ExampleProfile();
      for (uint32_t p = 0; p < 4; ++p) {
        for (uint32_t l = 0; l < 4; ++l) profile.values[2].Set(p, l, uint64_t{200} + p * 4 + l);
      }
      Encoding encoding;
      encoding.big_endian = big_endian;
      encoding.width = width;
      Profile back;
      std::string error;
      ASSERT_TRUE(ReadCubex(FromMemory(EncodeCubex(profile, encoding)), &back, &error)) << error;
      ExpectSameProfile(profile, back);
    }
  }
}

TEST(CubexReader, SignedIntegersBecomeDoubles) {
  const std::string file = ExampleReplacing("<dtype>UINT64</dtype>", "<dtype>INT64</dtype>");
  std::string changed = file;
  const size_t at = changed.find("CUBEX.DATA", changed.find("2.data")) + 10;
  changed.replace(at, 8, std::string(8, '\xff'));
  Profile back;
  std::string error;
  ASSERT_TRUE(ReadCubex(FromMemory(changed), &back, &error)) << error;
  EXPECT_EQ(back.metrics[2].type, Type::kDouble);
  EXPECT_EQ(back.values[2].Real(0, 0), -1.0);
  EXPECT_EQ(back.values[2].Real(2, 3), 4000.0);
}

TEST(CubexReader, SaysThatIterationsAreClustered) {
  for (const std::string& count : {std::string(), std::string("100 ")}) {
    std::string attributes = "<attr key=\"CLUSTERING\" value=\"ON\"/>";
    if (!count.empty()) attributes += "<attr key=\"CLUSTER ITERATION COUNT\" value=\"100\"/>";
    Profile back;
    std::vector<std::string> notes;
    std::string error;
    ASSERT_TRUE(ReadCubex(FromMemory(ExampleReplacing("<doc>", attributes + "<doc>")), &back, &error, &notes)) << error;
    EXPECT_EQ(notes, std::vector<std::string>{"its " + count +
                                              "iterations are clustered: one that is shown stands for all that were "
                                              "like it"});
  }
}

TEST(CubexReader, ACounterThatWentBackwardsCountedNothing) {
  std::string file = EncodeCubex(ExampleProfile(), {});
  const size_t at = file.find("CUBEX.DATA", file.find("2.data")) + 10;
  file.replace(at, 8, "\xb5" + std::string(7, '\xff'));          // -75
  file.replace(at + 8, 8, "\xff\xfb" + std::string(6, '\xff'));  // the largest value that CUBE believes
  Profile back;
  std::string error;
  ASSERT_TRUE(ReadCubex(FromMemory(file), &back, &error)) << error;
  EXPECT_EQ(back.values[2].Integer(0, 0), 0u);
  EXPECT_EQ(back.values[2].Integer(0, 1), 0xFFFFFFFFFFFFFBFF);
}

TEST(CubexReader, ReadsValuesFromTheAnchor) {
  const std::string severity =
      "<severity><matrix metricId=\"2\"><row cnodeId=\"0\">1 2\n3 4\n</row><row cnodeId=\"2\">5 6 7 8</row></matrix>"
      "<matrix metricId=\"3\"><row cnodeId=\"3\">0.5 1e3 -2 0</row></matrix></severity></cube>";
  std::string anchor = FormatAnchor(ExampleProfile(), {});
  anchor.replace(anchor.find("</cube>"), 7, severity);
  Profile back;
  std::string error;
  ASSERT_TRUE(ReadCubex(FromMemory(MakeTar({{"anchor.xml", anchor}})), &back, &error)) << error;
  EXPECT_EQ(back.values[2].Integer(0, 2), 3u);
  EXPECT_EQ(back.values[2].Integer(2, 3), 8u);
  EXPECT_FALSE(back.values[2].Has(1));
  EXPECT_EQ(back.values[3].Real(3, 1), 1000.0);
  EXPECT_EQ(back.values[3].Real(3, 2), -2.0);
  anchor.replace(anchor.find("5 6 7 8"), 7, "5 6 x 8");
  EXPECT_EQ(ReadError(MakeTar({{"anchor.xml", anchor}})), "metric visits, call path 2: damaged values");
}

TEST(CubexReader, LeavesOutWhatAProfileCannotHoldAndSaysSo) {
  const auto notes_of = [](const std::string& file, Profile* back) {
    std::vector<std::string> notes;
    std::string error;
    EXPECT_TRUE(ReadCubex(FromMemory(file), back, &error, &notes)) << error;
    return notes;
  };
  Profile back;
  EXPECT_EQ(notes_of(ExampleReplacing("<dtype>UINT64", "<dtype>HISTOGRAM(4)"), &back),
            std::vector<std::string>{"metric visits is left out: of type HISTOGRAM(4)"});
  EXPECT_EQ(back.FindMetric("visits"), kNone);
  EXPECT_EQ(back.values[back.FindMetric("energy")].Real(2, 1), 257.0);
  // The parent is left out, so its children move up.
  EXPECT_EQ(notes_of(ExampleReplacing("type=\"INCLUSIVE\"", "type=\"POSTDERIVED\""), &back),
            std::vector<std::string>{"metric time is left out: computed by a formula"});
  EXPECT_EQ(back.metrics[back.FindMetric("mpi")].parent, kNone);
  notes_of(ExampleReplacing("id=\"2\" type=\"EXCLUSIVE\"", "id=\"2\" type=\"EXCLUSIVE\" viztype=\"GHOST\""), &back);
  EXPECT_EQ(back.metrics.size(), 3u);
}

TEST(CubexReader, RowsThatAreNotThereReadAsNothing) {
  const std::string file = ExampleWith("0.data", [](std::string* data) { data->resize(10 + 3 * 32 + 31); });
  Profile back;
  std::string error;
  std::vector<std::string> notes;
  ASSERT_TRUE(ReadCubex(FromMemory(file), &back, &error, &notes)) << error;
  EXPECT_EQ(notes, std::vector<std::string>{"metric time is cut off: 3 of 4 rows are there"});
  EXPECT_EQ(back.values[0].Real(3, 0), 16.0);  // children first: main solve io, then MPI_Send
  EXPECT_FALSE(back.values[0].Has(2));
}

TEST(CubexReader, TakesWhatOtherWritersMayLegallyDo) {
  const std::pair<const char*, const char*> changes[] = {
      {"version=\"4.4\"", "version=\"4.7\""},
      {"<doc>", "<!-- a comment --><doc>"},
      {"<url></url>", "<url/>"},
      {"<systemtreenode Id=\"0\">", "<systemtreenode id='0' >"},
      {"<name>main</name>", "<name><![CDATA[main]]></name>"},
      {"</doc>", "</doc>\r\n"},
      {"</system>",
       "<topologies><cart name=\"x\" ndims=\"1\"><dim name=\"y\" size=\"4\" periodic=\"false\"/>"
       "<coord locId=\"0\">0</coord></cart></topologies></system>"},
      {"</cnode>", "<parameter partype=\"string\" parkey=\"tag\" parvalue=\"halo\"/></cnode>"},
      {"</cube>", "</cube>\n<whatever"},
  };
  for (const auto& [from, to] : changes) {
    Profile back;
    std::string error;
    ASSERT_TRUE(ReadCubex(FromMemory(ExampleReplacing(from, to)), &back, &error)) << to << ": " << error;
    back.topologies.clear();  // one of the changes has a topology, see below
    ExpectSameProfile(ExampleProfile(), back);
  }
}

// Unknown elements of a later version, at any place, are reported once, and the rest is read.
TEST(CubexReader, UnknownElementsAreLeftOut) {
  const std::string more = "<future kind=\"x\"><cnode id=\"0\"/>text <name>y</name></future>";
  const char* places[] = {"<attr key",  "<mirrors>",        "<disp_name>",
                          "<paradigm>", "<cnode id=\"3\"",  "<class>",
                          "<rank>",     "</locationgroup>", "<systemtreenode Id=\"1\">",
                          "</cube>"};
  for (const char* place : places) {
    Profile back;
    std::string error;
    std::vector<std::string> notes;
    const std::string file = ExampleReplacing(place, more + place);
    ASSERT_TRUE(ReadCubex(FromMemory(file), &back, &error, &notes)) << place << ": " << error;
    ExpectSameProfile(ExampleProfile(), back);
    ASSERT_EQ(notes.size(), 1u) << place;
    EXPECT_EQ(notes[0].rfind("element <future> in <", 0), 0u) << notes[0];
  }
  // An unknown element within a text is left out, too.
  Profile back;
  std::string error;
  ASSERT_TRUE(ReadCubex(FromMemory(ExampleReplacing(">solve<", ">so" + more + "lve<")), &back, &error)) << error;
  ExpectSameProfile(ExampleProfile(), back);
}

TEST(CubexReader, TypesInOtherSpellings) {
  for (const char* dtype : {"uint64", "Unsigned Integer"}) {
    Profile back;
    std::string error;
    ASSERT_TRUE(
        ReadCubex(FromMemory(ExampleReplacing("<dtype>UINT64", "<dtype>" + std::string(dtype))), &back, &error));
    ExpectSameProfile(ExampleProfile(), back);
  }
  Profile back;
  std::string error;
  std::vector<std::string> notes;
  const std::string file = ExampleReplacing("<dtype>DOUBLE", "<dtype>REAL_OF_TOMORROW");
  ASSERT_TRUE(ReadCubex(FromMemory(file), &back, &error, &notes)) << error;
  ExpectSameProfile(ExampleProfile(), back);
  EXPECT_EQ(notes, std::vector<std::string>{
                       "metric time is taken for real numbers: its type \"REAL_OF_TOMORROW\" is not known"});
}

// The tuples of TAU, which Score-P writes with SCOREP_PROFILING_FORMAT=CUBE_TUPLE: packed, either byte order, one
// location without a visit.
std::string Sample(uint32_t count, double least, double most, double sum, bool big_endian) {
  std::string cell(36, '\0');
  const double parts[] = {least, most, sum, sum * sum};
  std::memcpy(cell.data(), &count, 4);
  std::memcpy(cell.data() + 4, parts, sizeof parts);
  if (big_endian) {
    std::reverse(cell.begin(), cell.begin() + 4);
    for (size_t at = 4; at < cell.size(); at += 8) {
      std::reverse(cell.begin() + static_cast<std::ptrdiff_t>(at), cell.begin() + static_cast<std::ptrdiff_t>(at + 8));
    }
  }
  return cell;
}

TEST(CubexReader, SamplesOfTau) {
  constexpr double kMost = std::numeric_limits<double>::max();
  for (const bool big_endian : {false, true}) {
    const auto file = [&](const char* name) {
      std::string anchor = FormatAnchor(ExampleProfile(), {});
      const auto replace = [&](const std::string& from, const std::string& to) {
        anchor.replace(anchor.find(from), from.size(), to);
      };
      // energy, the fourth metric, holds them; nothing else has values.
      replace("<uniq_name>time<", "<uniq_name>other<");
      replace("<uniq_name>visits<", "<uniq_name>calls<");
      replace("<uniq_name>energy</uniq_name><dtype>DOUBLE",
              "<uniq_name>" + std::string(name) + "</uniq_name><dtype>TAU_ATOMIC");
      std::string index = "CUBEX.INDEX" + std::string(big_endian ? "\0\0\0\1" : "\1\0\0\0", 4) + std::string(2, '\0') +
                          "\1" + std::string(big_endian ? "\0\0\0\1\0\0\0\2" : "\1\0\0\0\2\0\0\0", 8);
      std::string data = "CUBEX.DATA" + Sample(3, 0.5, 2, 4, big_endian) + Sample(1, 7, 7, 7, big_endian) +
                         Sample(0, kMost, -kMost, 0, big_endian) + Sample(2, 1, 1.5, 2.5, big_endian);
      return MakeTar({{"3.index", index}, {"3.data", data}, {"anchor.xml", anchor}});
    };
    Profile p;
    std::string error;
    std::vector<std::string> notes;
    ASSERT_TRUE(ReadCubex(FromMemory(file("time")), &p, &error, &notes)) << error;
    const auto row = [&](const char* name) {
      std::vector<double> cells;
      for (uint32_t l = 0; l < 4; ++l) cells.push_back(p.values[p.FindMetric(name)].Real(2, l));
      return cells;
    };
    EXPECT_EQ(row("time"), (std::vector<double>{4, 7, 0, 2.5}));
    EXPECT_EQ(row("visits"), (std::vector<double>{3, 1, 0, 2}));
    EXPECT_EQ(row("min_time"), (std::vector<double>{0.5, 7, kMost, 1}));
    EXPECT_EQ(row("max_time"), (std::vector<double>{2, 7, -kMost, 1.5}));
    EXPECT_EQ(p.metrics[p.FindMetric("visits")].type, Type::kUint64);
    EXPECT_FALSE(p.values[p.FindMetric("time")].Has(1));
    EXPECT_TRUE(notes.empty());
    // Other metrics are their sum.
    ASSERT_TRUE(ReadCubex(FromMemory(file("residual")), &p, &error, &notes)) << error;
    EXPECT_EQ(row("residual"), (std::vector<double>{4, 7, 0, 2.5}));
    EXPECT_EQ(p.FindMetric("min_time"), kNone);
    EXPECT_EQ(notes.size(), 1u);
  }
}

// A file like those of Score-P: several trees (the program and its tasks), racks above nodes, an accelerator, groups of
// metrics, formulas, ghosts, a topology of processes; compressed and dense, big-endian.
TEST(CubexReader, AFileLikeThoseOfScoreP) {
  Profile profile = ExampleProfile();
  Region tasks = profile.regions[0];
  tasks.name = tasks.mangled = "TASKS";
  tasks.role = "artificial";
  tasks.paradigm = "measurement";
  profile.regions.push_back(tasks);
  const auto root = static_cast<uint32_t>(profile.call_paths.size());
  profile.call_paths.push_back({static_cast<uint32_t>(profile.regions.size() - 1), kNone});
  profile.call_paths.push_back({1, root});
  for (size_t m = 0; m < profile.metrics.size(); ++m) {
    Values values(profile.metrics[m].type, profile.call_paths.size(), 4);
    for (uint32_t p = 0; p < root; ++p) {
      if (profile.values[m].Has(p)) std::copy_n(profile.values[m].Row(p), 4, values.MutableRow(p));
    }
    for (uint32_t l = 0; l < 4 && profile.metrics[m].type == Type::kDouble; ++l) {
      values.Set(root, l, 2.5 + l);
      values.Set(root + 1, l, 1.5);
    }
    profile.values[m] = std::move(values);
  }
  Encoding encoding;
  encoding.big_endian = encoding.dense = encoding.zip = true;
  const std::string file = EncodeCubex(profile, encoding);
  TarContent members;
  for (const char* name : {"0.index", "0.data", "1.index", "1.data", "2.index", "2.data", "3.index", "3.data"}) {
    members.emplace_back(name, GetMember(file, name));
  }
  std::string anchor = GetMember(file, "anchor.xml");
  const auto insert = [&](const std::string& before, const std::string& text) {
    const size_t at = anchor.find(before);
    ASSERT_NE(at, std::string::npos) << before;
    anchor.insert(at, text);
  };
  insert("<metric id=\"2\"",
         "<metric id=\"17\" type=\"POSTDERIVED\" convertible=\"false\"><disp_name>r</disp_name><uniq_name>r</uniq_name>"
         "<dtype>DOUBLE</dtype><uom></uom><cubepl rowwise=\"false\">metric::time(e)/metric::visits(e)</cubepl></metric>"
         "<metric id=\"18\" type=\"EXCLUSIVE\" viztype=\"GHOST\"><disp_name>g</disp_name><uniq_name>g</uniq_name>"
         "<dtype>DOUBLE</dtype><uom></uom></metric>");
  insert("<systemtreenode Id=\"1\">", "<systemtreenode Id=\"7\"><name>rack3</name><class>rack</class>");
  insert("</systemtreenode>", "</systemtreenode>");
  insert("</system>",
         "<topologies><cart name=\"GPUs\" ndims=\"1\"><dim size=\"2\" periodic=\"false\"/><coord lgId=\"1\">1</coord>"
         "</cart></topologies>");
  insert("<doc>", "<attr key=\"Score-P::DefinitionCounters::regionDef\" value=\"5\"/>");
  members.emplace_back("remapping.spec", "<metrics></metrics>");
  members.emplace_back("anchor.xml", anchor);
  Profile back;
  std::string error;
  std::vector<std::string> notes;
  ASSERT_TRUE(ReadCubex(FromMemory(MakeTar(members, true)), &back, &error, &notes)) << error;
  EXPECT_EQ(notes.size(), 3u);  // the formula, the ghost, the topology
  ExpectSameProfile(profile, back);
}

TEST(CubexReader, TopologiesThatMakeNoSenseAreLeftOut) {
  const auto read = [](const std::string& dims, const std::string& places, std::vector<std::string>* notes) {
    Profile back;
    std::string error;
    const std::string text =
        "<topologies><cart name=\"x\" ndims=\"2\">" + dims + places + "</cart></topologies></system>";
    notes->clear();
    EXPECT_TRUE(ReadCubex(FromMemory(ExampleReplacing("</system>", text)), &back, &error, notes)) << error;
    return back.topologies;
  };
  const std::string dims = "<dim size=\"4\" periodic=\"TRUE\"/><dim size=\"3\" periodic=\"false\"/>";
  std::vector<std::string> notes;
  const auto good = read(dims, "<coord locId=\"3\"> 1\n2 </coord><coord locId=\"0\">3 0</coord>", &notes);
  ASSERT_EQ(good.size(), 1u);
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(good[0].locations, (std::vector<uint32_t>{0, 3}));
  EXPECT_EQ(good[0].coordinates, (std::vector<uint32_t>{3, 0, 1, 2}));
  EXPECT_TRUE(good[0].dimensions[0].periodic);
  EXPECT_FALSE(good[0].dimensions[1].periodic);
  for (const char* places :
       {"<coord locId=\"4\">1 2</coord>", "<coord lgId=\"0\">1 2</coord>", "<coord locId=\"0\">1</coord>",
        "<coord locId=\"0\">1 2 3</coord>", "<coord locId=\"0\">4 2</coord>", "<coord locId=\"0\">1 -2</coord>",
        "<coord locId=\"0\">1 x</coord>", "<coord locId=\"0\"></coord>", "<coord locId=\"0\">1 99999999999</coord>", "",
        "<coord locId=\"0\">1 2</coord><dim size=\"2\"/>"}) {
    EXPECT_TRUE(read(dims, places, &notes).empty()) << places;
    EXPECT_EQ(notes.size(), 1u) << places;
  }
  for (const char* wrong : {"", "<dim size=\"0\"/><dim size=\"3\"/>", "<dim/><dim size=\"3\"/>"}) {
    EXPECT_TRUE(read(wrong, "<coord locId=\"0\">0 0</coord>", &notes).empty()) << wrong;
  }
}

TEST(CubexReader, RefusesDamageWithAReason) {
  struct Case {
    const char *from, *to, *reason;
  };
  const Case cases[] = {
      {"version=\"4.4\"", "version=\"5.0\"", "version \"5.0\" of the CUBE format is not known"},
      {"<doc>", "<dox>", "</doc> within <dox>"},
      {"<cube version", "<cuba version", "unknown element <cuba>"},
      {"</doc>", "</dox>", "</dox> within <doc>"},
      {"<region id=\"1\"", "<region id=\"2\"", "the ids of regions are not 0 to 4 less one"},
      {"<cnode id=\"3\"", "<cnode id=\"4\"", "the ids of cnodes are not 0 to 4 less one"},
      {"calleeId=\"3\"", "calleeId=\"4\"", "cnode 3 calls region 4, which does not exist"},
      {"calleeId=\"3\"", "calleeId=\"x\"", "calleeId=\"x\" is not a number of something"},
      {"calleeId=\"3\"", "", "<cnode> without calleeId"},
      {"<location Id=\"3\"", "<location Id=\"0\"", "the ids of locations are not 0 to 4 less one"},
      {"<metric id=\"2\"", "<metric id=\"0\"", "two metrics have id 0"},
      {"<uniq_name>visits", "<uniq_name>time", "two metrics are called time"},
      {"<rank>1</rank>", "<rank>-1</rank>", "\"-1\" is not a rank"},
      {"<rank>1</rank>", "<rank> </rank>", "\" \" is not a rank"},
      {"<?xml", "<!DOCTYPE x><?xml", "offset 0: unexpected <!"},
      {"</cube>", "", "the text ends within <cube>"},
  };
  for (const Case& c : cases) {
    const std::string error = ReadError(ExampleReplacing(c.from, c.to));
    EXPECT_NE(error.find(c.reason), std::string::npos) << c.to << ": " << error;
    EXPECT_EQ(error.rfind("anchor.xml: ", 0), 0u) << error;
  }
}

TEST(CubexReader, RefusesDamagedMembers) {
  const auto spoil = [](const char* member, size_t offset, const std::string& bytes) {
    return ReadError(ExampleWith(member, [&](std::string* content) { content->replace(offset, bytes.size(), bytes); }));
  };
  EXPECT_EQ(spoil("0.index", 0, "X"), "0.index: not an index");
  EXPECT_EQ(spoil("0.index", 11, "\x02"), "0.index: damaged mark of the byte order");
  EXPECT_EQ(spoil("0.index", 17, "\x02"), "0.index: unknown kind of index");
  EXPECT_EQ(spoil("0.index", 18, "\x05"), "0.index: 5 rows are more than there can be");
  EXPECT_EQ(spoil("0.index", 18, std::string(4, '\xff')), "0.index: 4294967295 rows are more than there can be");
  EXPECT_EQ(spoil("0.index", 22, "\x02"), "0.index: rows out of order or of no call path");
  EXPECT_EQ(spoil("0.index", 34, "\x04"), "0.index: rows out of order or of no call path");
  EXPECT_EQ(spoil("0.data", 0, "Y"), "0.data: no values");
}

TEST(CubexReader, RefusesCompressedRowsThatLie) {
  Encoding encoding;
  encoding.zip = true;
  const std::string good = EncodeCubex(ExampleProfile(), encoding);
  const size_t table = good.find("ZCUBEX.DATA", good.find("2.data")) + 11;
  const auto spoil = [&](size_t offset, const std::string& bytes) {
    std::string file = good;
    return ReadError(file.replace(table + offset, bytes.size(), bytes));
  };
  EXPECT_EQ(spoil(0, std::string(8, '\xff')), "2.data: more compressed rows than there can be");
  EXPECT_EQ(spoil(8, "\x01"), "2.data: damaged table of rows");      // not at the begin of a row
  EXPECT_EQ(spoil(8 + 7, "\x7f"), "2.data: damaged table of rows");  // far beyond the rows
  EXPECT_EQ(spoil(8 + 8, std::string(8, '\xff')), "2.data: damaged table of rows");
  EXPECT_EQ(spoil(8 + 16, std::string(8, '\xff')), "2.data: damaged table of rows");
  EXPECT_EQ(spoil(8 + 24, std::string(8, '\0')), "2.data: a row twice");
  EXPECT_EQ(spoil(8 + 4 * 24, "\xff"), "metric visits, call path 0: damaged values");
}

TEST(CubexReader, DepthIsNoProblem) {
  constexpr uint32_t kDepth = 200000;
  Profile profile = ExampleProfile();
  profile.call_paths.assign(1, {0, kNone});
  for (uint32_t p = 1; p < kDepth; ++p) profile.call_paths.push_back({1, p - 1});
  profile.values.clear();
  for (const Metric& metric : profile.metrics) {
    profile.values.emplace_back(metric.type, profile.call_paths.size(), profile.locations.size());
  }
  profile.values[0].Set(kDepth - 1, 0, 1.0);
  std::string error;
  ASSERT_TRUE(WriteCubex(TestPath("deep.cubex"), profile, {}, &error)) << error;
  Profile back;
  ASSERT_TRUE(ReadCubex(TestPath("deep.cubex"), &back, &error)) << error;
  EXPECT_TRUE(profile.call_paths == back.call_paths);
  EXPECT_EQ(back.values[0].Real(kDepth - 1, 0), 1.0);
}

}  // namespace
}  // namespace epik::archive
