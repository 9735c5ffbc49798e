// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <chrono>

#include "archive/symbols/symbols.h"
#include "archive/symbols/test_programs.h"

namespace epik::symbols {
namespace {

std::vector<Expected> Functions(const std::string& folder, const std::string& file) {
  return ParseExpected(Shell(folder, "nm " + file + " | sed -n 's/ [tT] / 0 /p' | grep ' f[0-9]*$'"));
}

TEST(Symbolizer, ManyModulesInOneBatch) {
  const std::string folder = NewFolder();
  WriteFile(folder + "/a.c", "int f1(void) { return 1; }\n\nint f2(void) { return 2; }\n");
  WriteFile(folder + "/b.c", "int f3(void) { return 3; }\n");
  Shell(folder, "gcc -g -shared -fPIC a.c -o liba.so && gcc -g -shared -fPIC b.c -o libb.so");
  const std::vector<Expected> a = Functions(folder, "liba.so"), b = Functions(folder, "libb.so");
  ASSERT_EQ(a.size(), 2u);
  ASSERT_EQ(b.size(), 1u);

  Symbolizer symbolizer;
  const uint32_t lib_a = symbolizer.AddModule(folder + "/liba.so", "");
  const uint32_t lib_b = symbolizer.AddModule(folder + "/libb.so", "");
  const uint32_t wrong = symbolizer.AddModule(folder + "/liba.so", "1234");
  const uint32_t gone = symbolizer.AddModule(folder + "/libgone.so (deleted)", "");
  const uint32_t vdso = symbolizer.AddModule("linux-vdso.so.1", "");
  EXPECT_EQ(symbolizer.AddModule(folder + "/liba.so", ""), lib_a);
  EXPECT_NE(wrong, lib_a);

  for (int round = 0; round < 2; ++round) {
    const std::vector<Symbol> symbols = symbolizer.ResolveAll(std::vector<Symbolizer::Address>{{lib_b, b[0].offset},
                                                                                               {gone, 0x10},
                                                                                               {lib_a, a[1].offset},
                                                                                               {wrong, a[0].offset},
                                                                                               {lib_a, a[0].offset},
                                                                                               {vdso, 0xa00},
                                                                                               {lib_a, a[1].offset},
                                                                                               {99, 0x77}});
    ASSERT_EQ(symbols.size(), 8u);
    EXPECT_EQ(symbols[0].name, "f3");
    EXPECT_EQ(symbols[0].file, folder + "/b.c");
    EXPECT_EQ(symbols[1].name, "libgone.so (deleted)+0x10");
    EXPECT_EQ(symbols[2].name, "f2");
    EXPECT_EQ(symbols[2].line, 3);
    EXPECT_EQ(symbols[3].name.substr(0, 10), "liba.so+0x");
    EXPECT_FALSE(symbols[3].found);
    EXPECT_EQ(symbols[4].name, "f1");
    EXPECT_EQ(symbols[5].name, "linux-vdso.so.1+0xa00");
    EXPECT_EQ(symbols[6].name, "f2");
    EXPECT_EQ(symbols[7].name, "?+0x77");
  }
  // Each error comes once, however often the modules are asked for.
  ASSERT_EQ(symbolizer.errors().size(), 3u);
  EXPECT_NE(symbolizer.errors()[0].find("1234 was measured"), std::string::npos);
  EXPECT_TRUE(symbolizer.ResolveAll({}).empty());
}

// One unit with 32 000 functions: the time is not quadratic, neither for a batch nor for single questions.
TEST(Symbolizer, ManyFunctions) {
  constexpr int kCount = 8'000;
  const std::string folder = NewFolder();
  std::string source;
  for (int i = 0; i < kCount; ++i)
    source += "int f" + std::to_string(i) + "(void) { return " + std::to_string(i) + "; }\n";
  WriteFile(folder + "/m.c", source);
  Shell(folder, "gcc -g -O0 -shared -fPIC m.c -o libm.so");
  const std::vector<Expected> expected = Functions(folder, "libm.so");
  ASSERT_EQ(expected.size(), size_t{kCount});
  std::vector<Symbolizer::Address> addresses;
  Symbolizer symbolizer;
  const uint32_t module = symbolizer.AddModule(folder + "/libm.so", "");
  for (const Expected& each : expected) addresses.push_back({module, each.offset});

  const auto start = std::chrono::steady_clock::now();
  const std::vector<Symbol> symbols = symbolizer.ResolveAll(addresses);
  const auto batch = std::chrono::steady_clock::now();
  for (size_t i = 0; i < addresses.size(); ++i) {
    EXPECT_EQ(symbols[i].name, expected[i].name);
    EXPECT_EQ(symbols[i].line, std::stoi(expected[i].name.substr(1)) + 1);
    const std::vector<Symbol> alone = symbolizer.ResolveAll({&addresses[i], 1});
    EXPECT_EQ(alone[0].name, expected[i].name);
    EXPECT_EQ(alone[0].line, symbols[i].line);
  }
  const auto end = std::chrono::steady_clock::now();
  const auto ms = [](auto time) { return std::chrono::duration_cast<std::chrono::milliseconds>(time).count(); };
  RecordProperty("batch_ms", static_cast<int>(ms(batch - start)));
  RecordProperty("one_by_one_ms", static_cast<int>(ms(end - batch)));
  // This takes some 8 ms and 13 ms. The bounds catch a quadratic search, also under sanitizers on a busy machine.
  EXPECT_LT(ms(batch - start), 750);
  EXPECT_LT(ms(end - batch), 1500);
}

// Units are read as a whole or not at all.
TEST(Symbolizer, ABudgetOfDebugInformation) {
  const std::string folder = NewFolder();
  WriteFile(folder + "/a.c", "int f1(void) { return 1; }\n\nint f2(void) { return 2; }\n");
  WriteFile(folder + "/b.c", "int f3(void) {\n  return 3;\n}\n");
  Shell(folder, "gcc -g -shared -fPIC a.c b.c -o liball.so");
  std::vector<Expected> f = Functions(folder, "liball.so");
  ASSERT_EQ(f.size(), 3u);
  const uint64_t whole =
      std::stoull(Shell(folder, "size -A liball.so | sed -n 's/^.debug_info *\\([0-9]*\\) .*/\\1/p'"));
  const auto resolve = [&](uint64_t most, bool call) {
    Options options;
    options.most_debug_bytes = most;
    Symbolizer symbolizer(options);
    const uint32_t library = symbolizer.AddModule(folder + "/liball.so", "");
    std::vector<Symbolizer::Address> addresses;
    for (const Expected& function : f) addresses.push_back({library, function.offset, call});
    return symbolizer.ResolveAll(addresses);
  };
  const auto lines = [](const std::vector<Symbol>& symbols) {
    std::vector<int> lines;
    for (const Symbol& symbol : symbols) lines.push_back(symbol.line_left_out ? 0 : symbol.line);
    return lines;
  };
  const std::vector<int> all = {1, 3, 1};
  EXPECT_EQ(lines(resolve(whole, false)), all);
  EXPECT_EQ(lines(resolve(whole - 1, false)), (std::vector<int>{1, 3, 0}));
  EXPECT_EQ(lines(resolve(0, false)), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(lines(resolve(0, true)), all) << "what is called by its line is always looked for";
  for (const Symbol& symbol : resolve(0, false)) EXPECT_EQ(symbol.name[0], 'f') << "names are not debug information";
  // libdw would unpack all of it.
  Shell(folder, "objcopy --compress-debug-sections liball.so packed.so && mv packed.so liball.so");
  EXPECT_EQ(lines(resolve(whole, false)), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(lines(resolve(1 << 20, false)), all);
}

}  // namespace
}  // namespace epik::symbols
