// SPDX-License-Identifier: BSD-3-Clause
// Almost all code here belongs to the library.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

__attribute__((noinline)) int Odd(const std::vector<int>& numbers) {
  int odd = 0;
  for (int n : numbers) odd += n & 1;
  return odd;
}

int main() {
  std::vector<int> numbers;
  std::map<std::string, int> names;
  for (int i = 0; i < 1000; ++i) {
    numbers.push_back(i * 7919 % 1000);
    names[std::to_string(i % 50)] += i;
  }
  std::sort(numbers.begin(), numbers.end());
  std::printf("%d %zu\n", Odd(numbers), names.size());
}
