// tests/sass/machine_kernel.h: a kernel of machine code, written as nvdisasm prints it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "profiling/emulator/sass/machine_code.h"

namespace warpscope {

// Its function is "k".
class MachineKernel {
 public:
  // `immediate`: the 32 bits that an encoding holds for a number.
  void add(const std::string& text, std::uint32_t immediate = 0) {
    char row[300];
    std::snprintf(row, sizeof row, "        /*%04x*/ %s ; /* 0x%08x00000000 */\n /* 0x0 */\n",
                  static_cast<unsigned>(16 * count_++), text.c_str(), immediate);
    text_ += row;
  }
  // The line of k.cu that the next instructions come from.
  void line(int number) { text_ += "\t//## File \"k.cu\", line " + std::to_string(number) + "\n"; }
  // A place that branches and calls name.
  void label(const std::string& name) { text_ += name + ":\n"; }
  std::uint32_t next_offset() const { return static_cast<std::uint32_t>(16 * count_); }
  std::string text() const { return ".section .text.k,\nk:\n" + text_; }

 private:
  std::string text_;
  int count_ = 0;
};

// A kernel with so many pointers for parameters, from c[0x0][0x210] on.
inline MachineImage machine_image(std::size_t pointers, std::int64_t shared_bytes = 0) {
  MachineImage image;
  image.compute_capability = 90;
  image.parameter_bytes = static_cast<std::int64_t>(8 * pointers);
  image.shared_bytes = shared_bytes;
  for (std::size_t n = 0; n < pointers; ++n)
    image.parameters.push_back({8, static_cast<std::int64_t>(8 * n), 8});
  return image;
}

}  // namespace warpscope
