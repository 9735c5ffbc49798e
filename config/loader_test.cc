// SPDX-License-Identifier: BSD-3-Clause
#include "config/loader.h"

#include <gtest/gtest.h>

namespace epik::config {
namespace {

using Texts = std::vector<std::string>;

// Files in the order they are read, then the environment.
Loaded LoadTexts(const std::vector<std::pair<std::string, std::string>>& files, const Texts& environment) {
  std::vector<const char*> variables;
  for (const std::string& text : environment) variables.push_back(text.c_str());
  variables.push_back(nullptr);
  const Environment view(variables.data());
  Loader loader(view, "");
  for (const auto& [path, text] : files) loader.AddFile(path, text);
  loader.AddEnvironment();
  return loader.Finish();
}

Texts Messages(const Loaded& loaded) {
  Texts out;
  for (const Message& message : loaded.messages) out.push_back(message.text);
  return out;
}

Texts Complaints(const Texts& environment) { return Messages(LoadTexts({}, environment)); }

TEST(Loader, LaterSourcesWin) {
  const Loaded loaded = LoadTexts({{"/site", "EPK_TITLE=site\nEPK_GDIR=/site\nESD_PATHS=1\n"},
                                   {"./EPIK.CONF", "\nEPK_TITLE = mine\nEPK_GDIR = /mine\nEPK_GDIR = /mine/too\n"}},
                                  {"EPK_TITLE=env"});
  EXPECT_TRUE(loaded.messages.empty());
  EXPECT_TRUE(loaded.AllUsed());
  EXPECT_EQ(loaded.settings.title, "env");
  EXPECT_EQ(loaded.settings.OriginOf(Key::title).Text(), "environment");
  EXPECT_EQ(loaded.settings.gdir, "/mine/too");
  EXPECT_EQ(loaded.settings.OriginOf(Key::gdir).Text(), "./EPIK.CONF:4");
  EXPECT_EQ(loaded.settings.paths, 1);
  EXPECT_EQ(loaded.settings.OriginOf(Key::paths).Text(), "/site:3");
  EXPECT_EQ(loaded.settings.OriginOf(Key::frames).Text(), "default");
}

TEST(Loader, SetToTheDefaultIsStillSet) {
  const Loaded loaded = LoadTexts({}, {"ESD_PATHS=4096"});
  EXPECT_TRUE(loaded.settings.IsSet(Key::paths));
  EXPECT_FALSE(loaded.settings.IsSet(Key::frames));
}

TEST(Loader, EmptyCountsWhereTheDefaultIsEmpty) {
  const Loaded loaded =
      LoadTexts({{"f", "EPK_FILTER=/f\nEPK_TRACE=comm\nEPK_GDIR=\"\"\n"}}, {"EPK_FILTER=", "EPK_TRACE="});
  EXPECT_TRUE(loaded.messages.empty());
  EXPECT_EQ(loaded.settings.filter, "");
  EXPECT_TRUE(loaded.settings.IsSet(Key::filter));
  EXPECT_TRUE(loaded.settings.trace.comm);
  EXPECT_FALSE(loaded.settings.IsSet(Key::gdir));
}

TEST(Loader, ARefusedValueIsOneMessage) {
  EXPECT_EQ(
      Complaints({"EPK_TRACE=perhaps"}),
      Texts{"EPK_TRACE=perhaps (environment): not a trace selection; accepted: off, all, comm, slow:DURATION, msgs, "
            "visits:N, ranks:LIST, window:REGION:A-B, separated by commas; using the default 'off'"});
  EXPECT_EQ(Complaints({"ELG_COMPRESSION=11"}),
            Texts{"ELG_COMPRESSION=11 (environment): not a valid number; accepted: 0 to 9, u; using the default '1'"});
  EXPECT_EQ(
      Complaints({"EPK_SUMMARY=2"}),
      Texts{"EPK_SUMMARY=2 (environment): not yes or no; accepted: yes, no (or true, false, on, off, 1, 0); using "
            "the default 'yes'"});
  EXPECT_EQ(
      Complaints({"EPK_TIMER=sundial"}),
      Texts{"EPK_TIMER=sundial (environment): not one of the accepted words; accepted: auto, tsc, monotonic; using "
            "the default 'auto'"});
  EXPECT_EQ(
      Complaints({"EPK_MEMORY=1X"}),
      Texts{"EPK_MEMORY=1X (environment): not a valid size; accepted: bytes, 1M or more, as in 500k, 16M, 2GiB; k M "
            "G are of 1024, kB MB GB of 1000; using the default '1G'"});
  EXPECT_EQ(
      Complaints({"EPK_THROTTLE_PERCALL=10"}),
      Texts{"EPK_THROTTLE_PERCALL=10 (environment): not a duration; accepted: a number with ns, us, ms, s or min; "
            "using the default '10us'"});
  EXPECT_EQ(Complaints({"EPK_TITLE=../x"}),
            Texts{"EPK_TITLE=../x (environment): not a name for an archive; accepted: a name without / and control "
                  "characters; using the default ''"});
}

TEST(Loader, ARefusedValueGivesTheDefault) {
  const Loaded loaded = LoadTexts({{"f", "EPK_TRACE=comm\n"}}, {"EPK_TRACE=perhaps"});
  EXPECT_FALSE(loaded.settings.trace.on);
  EXPECT_FALSE(loaded.settings.IsSet(Key::trace));
  EXPECT_FALSE(loaded.AllUsed());
  EXPECT_EQ(loaded.messages[0].kind, Message::kRefused);
}

TEST(Loader, ARefusedValueThatIsOverriddenSaysSo) {
  const Loaded loaded = LoadTexts({{"f", "EPK_TIMER=sundial\n"}}, {"EPK_TIMER=tsc"});
  EXPECT_EQ(loaded.settings.timer, Timer::kTsc);
  EXPECT_EQ(Messages(loaded), Texts{"EPK_TIMER=sundial (f:1): not one of the accepted words; accepted: auto, tsc, "
                                    "monotonic; using that of environment"});
}

TEST(Loader, UnknownNamesInTheEnvironment) {
  EXPECT_EQ(Complaints({"EPK_TRACCE=1"}), Texts{"EPK_TRACCE (environment): no such variable; did you mean EPK_TRACE?"});
  EXPECT_EQ(Complaints({"ELG_UNHEARD_OF=1"}), Texts{"ELG_UNHEARD_OF (environment): no such variable"});
  EXPECT_EQ(Complaints({"EPK_INTERNAL_RANK=1", "EPK_CONF=x", "TRACE=1", "EPKTRACE=1", "epk_trace=1"}), Texts());
  EXPECT_EQ(Complaints({"EPK_MONITOR_JOB=epik_solver.4711.unfinished"}), Texts());
}

TEST(Loader, UnknownNamesInFiles) {
  const Loaded loaded = LoadTexts({{"f", "EPK_TITEL=a\nPATH=/bin\nEPK_INTERNAL_X=1\nEPK_CONF=g\nEPK_GDIR=/g\n"}}, {});
  EXPECT_EQ(Messages(loaded),
            (Texts{"EPK_TITEL (f:1): no such variable; did you mean EPK_TITLE?", "PATH (f:2): no such variable",
                   "EPK_CONF (f:4): counts in the environment only"}));
  EXPECT_EQ(loaded.settings.gdir, "/g");
}

TEST(Loader, NamesOfTheOriginalThatDoNothing) {
  const Loaded loaded = LoadTexts({}, {"ELG_MERGE=1"});
  EXPECT_EQ(Messages(loaded), Texts{"ELG_MERGE (environment): has no effect: traces are never merged"});
  EXPECT_TRUE(loaded.AllUsed());
}

TEST(Loader, SyntaxErrorsCostOnlyTheirLine) {
  const Loaded loaded = LoadTexts({{"/a/EPIK.CONF", "EPK_TITLE = \"x\nwhat is this\nEPK_GDIR = /g\n"}}, {});
  EXPECT_EQ(Messages(loaded), (Texts{"/a/EPIK.CONF:1: a quote is not closed; line ignored",
                                     "/a/EPIK.CONF:2: not of the form KEY = value; line ignored"}));
  EXPECT_EQ(loaded.settings.gdir, "/g");
  EXPECT_FALSE(loaded.AllUsed());
}

TEST(Loader, AFileThatIsNoConfigurationIsNotAFlood) {
  std::string noise, names;
  for (int i = 0; i < 100; ++i) noise += "noise\n", names += "SOME_NAME = 1\n";
  const Texts messages = Messages(LoadTexts({{"f", noise}, {"g", names}}, {}));
  ASSERT_EQ(messages.size(), 18u);
  EXPECT_EQ(messages[8], "f: 92 more lines like these");
  EXPECT_EQ(messages[17], "g: 92 more names that are no variables");
}

TEST(Loader, SecretsAreNotEchoed) {
  const Loaded loaded = LoadTexts({{"f", "EPK_TIMER = $API_KEY # x\nEPK_TITLE = a\n$API_KEY\n"}}, {"API_KEY=hush"});
  EXPECT_EQ(Messages(loaded),
            (Texts{"f:3: not of the form KEY = value; line ignored",
                   "EPK_TIMER=$API_KEY (f:1): not one of the accepted words; accepted: auto, tsc, monotonic; using the "
                   "default 'auto'"}));
}

TEST(Loader, MessagesAreOneShortLine) {
  const Texts messages = Complaints({"EPK_TIMER=a\nb\x1b[2J" + std::string(5000, 'x'), "EPK_A\nB=1"});
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[0].find('\n'), std::string::npos);
  EXPECT_EQ(messages[0].find('\x1b'), std::string::npos);
  EXPECT_LT(messages[0].size(), 400u);
  EXPECT_EQ(messages[1], "EPK_A\\nB (environment): no such variable");
}

TEST(Loader, Unreadable) {
  const Environment nothing(nullptr);
  Loader loader(nothing, "");
  loader.AddUnreadable("/x/EPIK.CONF", "Permission denied");
  EXPECT_EQ(Messages(loader.Finish()), Texts{"/x/EPIK.CONF: Permission denied; ignored"});
}

}  // namespace
}  // namespace epik::config
