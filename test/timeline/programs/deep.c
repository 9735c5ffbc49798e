// SPDX-License-Identifier: BSD-3-Clause
// Calls that contain very many events, at several depths, so that their ends are far from most of the trace.
volatile double sink;
void Leaf(int n) {
  for (int i = 0; i < n; ++i) sink = sink * 0.5 + i;
}
void Step(int n) {
  for (int i = 0; i < n; ++i) Leaf(i % 7);
}
void Down(int depth, int n) {
  if (depth > 0) return Down(depth - 1, n), Step(n);
  Step(20 * n);
}
void Phase(int n) {
  Step(n);
  Down(5, n / 4);
  Leaf(3);
}
int main(void) {
  Leaf(1);
  for (int i = 0; i < 6; ++i) Phase(400 << i);
  return 0;
}
