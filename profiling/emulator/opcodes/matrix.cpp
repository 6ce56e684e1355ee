// profiling/emulator/opcodes/matrix.cpp: ldmatrix, stmatrix, movmatrix, mma and wmma.
#include <algorithm>
#include <optional>

#include "profiling/emulator/decode/emit.h"
#include "profiling/emulator/decode/families.h"
#include "profiling/emulator/decode/operands.h"
#include "profiling/emulator/instructions/warp_instructions.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

std::optional<MatrixType> matrix_type_of(std::string_view type) {
  static constexpr std::string_view kNames[] = {"f16", "bf16", "tf32", "f32",
                                                "f64", "s8",   "u8",   "s32"};
  static_assert(std::size(kNames) == kEnumeratorCount<MatrixType>);
  for (std::size_t k = 0; k < std::size(kNames); ++k) {
    if (kNames[k] == type) return static_cast<MatrixType>(k);
  }
  return std::nullopt;
}
// "m16n8k16"
bool read_shape(std::string_view text, MatrixShape& shape) {
  int* const sizes[] = {&shape.m, &shape.n, &shape.k};
  constexpr char letters[] = {'m', 'n', 'k'};
  for (int k = 0; k < 3; ++k) {
    if (text.empty() || text[0] != letters[k]) return false;
    text.remove_prefix(1);
    int value = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9' && value < 100) {
      value = 10 * value + (text[0] - '0');
      text.remove_prefix(1);
    }
    if (value < 1 || value > 32) return false;
    *sizes[k] = value;
  }
  return text.empty();
}

// Products of f64 round to nearest even; other ways are asked for by name.
bool rounds_otherwise(const std::vector<std::string_view>& parts) {
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
    return part == "rz" || part == "rm" || part == "rp";
  });
}

bool is_emulated(const MatrixShape& shape) {
  const bool f64_shape = shape.a == MatrixType::f64 && shape.n == 8 &&
                         ((shape.m == 8 && shape.k == 4) ||
                          (shape.m == 16 && (shape.k == 4 || shape.k == 8 || shape.k == 16)));
  const bool integer = shape.a == MatrixType::s8 || shape.a == MatrixType::u8;
  const bool half = shape.a == MatrixType::f16 || shape.a == MatrixType::bf16;
  return f64_shape ||
         (integer && shape.n == 8 &&
          ((shape.m == 8 && shape.k == 16) ||
           (shape.m == 16 && (shape.k == 16 || shape.k == 32)))) ||
         (half && shape.m == 16 && shape.n == 8 && (shape.k == 8 || shape.k == 16)) ||
         (shape.a == MatrixType::tf32 && shape.m == 16 && shape.n == 8 &&
          (shape.k == 4 || shape.k == 8));
}

OperandType slot_type_of(MatrixType type) {
  return type == MatrixType::f64   ? OperandType::f64
         : type == MatrixType::f32 ? OperandType::f32
                                   : OperandType::b32;
}
// In a register of a fragment.
int elements_of(MatrixType type) {
  return type == MatrixType::f16 || type == MatrixType::bf16 ? 2
         : type == MatrixType::s8 || type == MatrixType::u8  ? 4
                                                             : 1;
}

// ldmatrix and stmatrix.
void decode_matrix_copy(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  std::vector<std::uint32_t> slots;
  const bool load = name.base() == "ldmatrix";
  i.space = AddressSpace::shared;
  const std::vector<PtxOperand> registers = operand_parts(ctx, operand_at(ctx, s, load ? 0 : 1));
  if (!name.has("m8n8") || name.type() != "b16" ||
      (registers.size() != 1 && registers.size() != 2 && registers.size() != 4)) {
    problem(ctx, "has a shape that is not known");
    return;
  }
  if (!take_address(ctx, operand_at(ctx, s, load ? 1 : 0), i)) return;
  slots.reserve(registers.size());
  for (const PtxOperand& r : registers) {
    slots.push_back(load ? destination_slot(ctx, r, OperandType::b32)
                         : source_slot(ctx, r, OperandType::b32));
  }
  i.count = static_cast<std::uint8_t>(registers.size());
  i.width = 16;
  i.subop = name.has("trans") ? 1 : 0;
  i.run = load ? run_load_matrix : run_store_matrix;
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), slots.begin(), slots.end());
  add_site(ctx, i, AddressSpace::shared, load ? AccessKind::matrix_load : AccessKind::matrix_store,
           16);
  emit(ctx, i);
}

void decode_matrix_transpose(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  if (!name.has("m8n8") || !name.has("trans") || name.type() != "b16") {
    problem(ctx, "has a shape that is not known");
    return;
  }
  Instruction i;
  i.run = run_transpose_matrix;
  i.a = source_slot(ctx, s, 1, OperandType::b32);
  i.d = destination_slot(ctx, s, 0, OperandType::b32);
  emit(ctx, i);
}

// wmma.load and wmma.store.
void decode_fragment_copy(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name,
                          const MatrixShape& shape) {
  Instruction i;
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  std::vector<std::uint32_t> slots;
  const bool load = name.has("load");
  for (const std::string_view part : name.parts) {
    if (const auto space = named_space(part)) i.space = *space;
  }
  const std::optional<MatrixType> type = matrix_type_of(name.type());
  if (!type || name.parts.size() < 3) {
    problem(ctx, "has a type that is not known");
    return;
  }
  const std::string_view which = name.parts[2];
  Fragment f;
  f.type = *type;
  f.rows = which == "b" ? shape.k : shape.m;
  f.columns = which == "a" ? shape.k : shape.n;
  f.by_rows = name.has("row");
  f.accumulator = which != "a" && which != "b";
  const std::vector<PtxOperand> registers = operand_parts(ctx, operand_at(ctx, s, load ? 0 : 1));
  const PtxOperand& where = operand_at(ctx, s, load ? 1 : 0);
  if (!take_address(ctx, where, i)) return;
  i.target = static_cast<std::uint32_t>(i.immediate);
  if (!load && i.space != AddressSpace::shared) ctx.kernel.store_addresses.push_back(i.a);
  // nvcc's addresses of shared memory have 32 bits.
  if ((i.flags & kFlagAddress32) != 0 && i.space != AddressSpace::shared) {
    problem(ctx, "has a 32-bit address that is not of shared memory");
    return;
  }
  if ((i.flags & kFlagAddress32) != 0) widen_address(ctx, i);
  slots.reserve(registers.size());
  for (const PtxOperand& r : registers) {
    slots.push_back(load ? destination_slot(ctx, r, slot_type_of(*type))
                         : source_slot(ctx, r, slot_type_of(*type)));
  }
  const int elements = elements_of(*type);
  const int held = static_cast<int>(registers.size()) * elements;
  if (registers.size() > 16 || held * 32 < f.rows * f.columns) {
    problem(ctx, "has too few registers for its shape");
    return;
  }
  slots.push_back(s.count > 2 ? source_slot(ctx, s, 2, OperandType::b32) : 0);
  i.count = static_cast<std::uint8_t>(registers.size());
  i.c = new_slot(ctx, 8);
  i.immediate = pack(f);
  i.run = load ? run_load_fragment : run_store_fragment;
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), slots.begin(), slots.end());
  add_site(ctx, i, i.space, load ? AccessKind::load : AccessKind::store,
           std::min(16, held * 4 / elements));
  emit(ctx, i);
}

// Types, layouts and modifiers of wmma.mma; false: a problem. Two types are those of D and C for
// halves; four are D, A, B, C. They may be followed by the rounding and by satfinite.
bool take_types(DecodeContext& ctx, const OpcodeName& name, MatrixShape& shape) {
  const std::size_t n = name.parts.size();
  constexpr std::string_view kBehind[] = {"satfinite", "rn", "rz", "rm", "rp"};
  std::size_t types_end = n;
  while (types_end > 1 && std::find(std::begin(kBehind), std::end(kBehind),
                                    name.parts[types_end - 1]) != std::end(kBehind)) {
    --types_end;
  }
  const auto type_at = [&](std::size_t back) {
    return matrix_type_of(name.parts[types_end - back]);
  };
  if (types_end < 8 || !type_at(1) || !type_at(2)) {
    return problem(ctx, "has a type that is not known");
  }
  const bool four = type_at(3) && type_at(4);
  shape.c = *type_at(1);
  shape.d = four ? *type_at(4) : *type_at(2);
  shape.a = four ? *type_at(3) : MatrixType::f16;
  shape.b = four ? *type_at(2) : MatrixType::f16;
  shape.saturate = name.has("satfinite");
  if (rounds_otherwise(name.parts)) {
    return problem(ctx, "rounds in a way that is not emulated");
  }
  // The two layouts stand before the shape.
  for (std::size_t k = 1; k + 1 < n; ++k) {
    MatrixShape ignored;
    if (k >= 2 && read_shape(name.parts[k + 1], ignored)) {
      shape.a_rows = name.parts[k - 1] == "row";
      shape.b_columns = name.parts[k] == "col";
    }
  }
  return true;
}

}  // namespace

void decode_matrix(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  if (name.base() == "movmatrix") return decode_matrix_transpose(ctx, s, name);
  if (name.base() != "mma") return decode_matrix_copy(ctx, s, name);
  Instruction i;
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  std::vector<std::uint32_t> slots;
  // mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  MatrixShape shape;
  bool shaped = false;
  for (const std::string_view part : name.parts) shaped = shaped || read_shape(part, shape);
  const std::size_t n = name.parts.size();
  std::optional<MatrixType> types[4];
  for (std::size_t k = 0; k < 4 && n > 4; ++k) types[k] = matrix_type_of(name.parts[n - 4 + k]);
  const bool known = shaped && types[0] && types[1] && types[2] && types[3];
  if (!known) {
    problem(ctx, "has a shape or a type that is not known");
    return;
  }
  shape.d = *types[0];
  shape.a = *types[1];
  shape.b = *types[2];
  shape.c = *types[3];
  shape.saturate = name.has("satfinite");
  if (rounds_otherwise(name.parts)) {
    problem(ctx, "rounds in a way that is not emulated");
    return;
  }
  if (!is_emulated(shape) || name.has("xor") || name.has("and")) {
    problem(ctx, "has a shape that is not emulated");
    return;
  }
  for (std::uint32_t which = 0; which < 4; ++which) {
    const std::vector<PtxOperand> registers = operand_parts(ctx, operand_at(ctx, s, which));
    const MatrixType type = *types[which];
    const OperandType slot_type = slot_type_of(type);
    if (static_cast<int>(registers.size()) != shape.registers(static_cast<int>(which))) {
      problem(ctx, "has another number of registers than its shape");
      return;
    }
    for (const PtxOperand& r : registers) {
      slots.push_back(which == 0 ? destination_slot(ctx, r, slot_type)
                                 : source_slot(ctx, r, slot_type));
    }
  }
  i.run = run_multiply_matrices;
  i.immediate = pack(shape);
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), slots.begin(), slots.end());
  emit(ctx, i);
}

void decode_wmma(DecodeContext& ctx, const PtxStatement& s, const OpcodeName& name) {
  Instruction i;
  MatrixShape shape;
  bool shaped = false;
  for (const std::string_view part : name.parts) shaped = shaped || read_shape(part, shape);
  if (!shaped || shape.m * shape.n > 1024) {
    problem(ctx, "has a shape that is not known");
    return;
  }
  if (name.has("load") || name.has("store")) return decode_fragment_copy(ctx, s, name, shape);
  i.extra = static_cast<std::uint32_t>(ctx.kernel.slots.size());
  std::vector<std::uint32_t> slots;
  if (!take_types(ctx, name, shape)) return;
  const MatrixType types[] = {shape.d, shape.a, shape.b, shape.c};
  const int least[] = {shape.m * shape.n, shape.m * shape.k, shape.k * shape.n, shape.m * shape.n};
  std::vector<std::uint32_t> counts;
  for (std::uint32_t which = 0; which < 4; ++which) {
    const std::vector<PtxOperand> registers = operand_parts(ctx, operand_at(ctx, s, which));
    const MatrixType type = types[which];
    if (static_cast<int>(registers.size()) * elements_of(type) * 32 < least[which]) {
      problem(ctx, "has too few registers for its shape");
      return;
    }
    counts.push_back(static_cast<std::uint32_t>(registers.size()));
    for (const PtxOperand& r : registers) {
      slots.push_back(which == 0 ? destination_slot(ctx, r, slot_type_of(type))
                                 : source_slot(ctx, r, slot_type_of(type)));
    }
  }
  i.run = run_multiply_fragments;
  i.immediate = pack(shape);
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), counts.begin(), counts.end());
  ctx.kernel.slots.insert(ctx.kernel.slots.end(), slots.begin(), slots.end());
  emit(ctx, i);
}

}  // namespace warpscope
