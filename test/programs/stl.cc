// SPDX-License-Identifier: BSD-3-Clause
// C++ as it is written: virtual functions, templates, lambdas, std::sort, std::map, std::function.     stl [N]
//
// Own functions are called often, inlined pieces of the standard library a hundred times more often.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace shapes {

class Shape {
 public:
  virtual ~Shape() = default;
  virtual long Area() const = 0;
  virtual const char* Name() const { return "shape"; }
};

class Rectangle : public Shape {
 public:
  Rectangle(long width, long height) : width_(width), height_(height) {}
  long Area() const override { return width_ * height_; }
  const char* Name() const override { return "rectangle"; }

 private:
  long width_, height_;
};

class Square final : public Rectangle {
 public:
  explicit Square(long side) : Rectangle(side, side) {}
  const char* Name() const override { return "square"; }
};

}  // namespace shapes

template <class T, int kFactor>
struct Scaler {
  T operator()(T value) const { return value * kFactor; }
};

template <class T, class Change>
std::vector<T> Changed(std::vector<T> values, Change change) {
  std::transform(values.begin(), values.end(), values.begin(), change);
  return values;
}

__attribute__((noinline)) std::vector<std::unique_ptr<shapes::Shape>> MakeShapes(int count) {
  std::vector<std::unique_ptr<shapes::Shape>> all;
  for (int i = 1; i <= count; ++i) {
    if (i % 3 == 0)
      all.push_back(std::make_unique<shapes::Square>(i));
    else
      all.push_back(std::make_unique<shapes::Rectangle>(i, i + 1));
  }
  return all;
}

__attribute__((noinline)) std::vector<long> Areas(const std::vector<std::unique_ptr<shapes::Shape>>& all) {
  std::vector<long> areas;
  for (const auto& shape : all) areas.push_back(shape->Area());
  std::sort(areas.begin(), areas.end(), [](long a, long b) { return a % 97 != b % 97 ? a % 97 < b % 97 : a < b; });
  return areas;
}

__attribute__((noinline)) std::map<std::string, int> CountNames(
    const std::vector<std::unique_ptr<shapes::Shape>>& all) {
  std::map<std::string, int> count;
  for (const auto& shape : all) ++count[shape->Name()];
  return count;
}

__attribute__((noinline)) long Folded(const std::vector<long>& values, const std::function<long(long, long)>& fold) {
  return std::accumulate(values.begin(), values.end(), 1L, fold);
}

int main(int argc, char** argv) {
  const auto all = MakeShapes(argc > 1 ? std::atoi(argv[1]) : 200);
  const auto areas = Changed(Changed(Areas(all), Scaler<long, 3>{}), [](long v) { return v + 1; });
  for (const auto& [name, count] : CountNames(all)) std::printf("%s %d\n", name.c_str(), count);
  long modulus = 1000003;
  std::printf("fold %ld\n", Folded(areas, [modulus](long a, long b) { return (a * 31 + b) % modulus; }));
  return 0;
}
