// SPDX-License-Identifier: BSD-3-Clause
// Cancelled loops and regions, exceptions that stay inside, classes in tasks. libomp 14 can cancel neither dynamic
// loops (its assertion at kmp_dispatch.cpp:403 fails, or the eighth waits for ever) nor regions in which not all
// threads are equally far (they wait for each other at two barriers).
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 20;
  int caught = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma omp parallel
    {
#ifdef __clang__
#pragma omp for schedule(static)
#else
#pragma omp for schedule(dynamic)
#endif
      for (int i = 0; i < 100; ++i) {
        bool stop = false;
        try {
          if (i == 10) throw std::runtime_error("ten");
        } catch (const std::exception&) {
#pragma omp atomic
          ++caught;
          stop = true;
        }
#pragma omp cancel for if (stop)
      }
#ifndef __clang__
#pragma omp cancel parallel if (round % 2 == 0)
#endif
#pragma omp critical
      caught += 0;
    }
  }
  std::vector<std::string> words(50);
  const std::string prefix = "a word that is too long for the small string buffer ";
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; ++i) {
    const std::string word = prefix + std::to_string(i);
#pragma omp task firstprivate(word, i) shared(words)
    words[static_cast<size_t>(i)] = word;
  }
  for (int i = 0; i < 50; ++i) {
    if (words[static_cast<size_t>(i)] != prefix + std::to_string(i)) return 1;
  }
  std::printf("caught %d\n", caught);
  return (caught == 0) == (rounds == 0) ? 0 : 1;
}
