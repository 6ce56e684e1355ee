// profiling/emulator/ptx/statements.h: declarations, positions and instructions of PTX.
#pragma once

#include <array>
#include <map>
#include <string_view>

#include "profiling/emulator/ptx/module.h"
#include "profiling/emulator/ptx/reader.h"

namespace warpscope {

// A deeper nesting of blocks or values is not a real module's.
inline constexpr std::size_t kMostNesting = 64;

PtxSpace ptx_space_of(std::string_view word);  // ".shared"; none: not a space

// Reads single statements into module_; what could not be read leaves a failure of PtxReader.
class PtxStatementReader : protected PtxReader {
 protected:
  explicit PtxStatementReader(std::string_view text) : PtxReader(text) {}

  void location();
  PtxVariable parameter();  // of a function
  void registers(PtxFunction& f);
  void variable(bool external);
  void instruction(PtxFunction& f, PtxStatement s);  // or a label or a table

  PtxModule module_;
  std::uint32_t position_ = 0;  // of the last .loc, in PtxModule::positions
  std::uint32_t assembly_ = 0;  // PtxToken::assembly of the last statement

 private:
  void read_location();
  static std::array<int, 3> key_of(const PtxPosition& p);
  int find_position(const PtxPosition& wanted);
  std::int64_t array_elements();
  void finish(PtxVariable& v);
  void initial_values(PtxVariable& v, int bytes, std::size_t depth = 0);
  std::string_view opcode();
  static void take_part(PtxOperand& o);
  PtxOperand number_operand();
  PtxOperand operand(std::size_t depth = 0);
  void vector_operand(PtxOperand& o, std::size_t depth);
  void address_operand(PtxOperand& o, std::size_t depth);

  std::map<std::array<int, 3>, std::uint32_t> latest_;
  std::int64_t registers_ = 0;
};

}  // namespace warpscope
