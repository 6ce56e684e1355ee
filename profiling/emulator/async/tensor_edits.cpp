// profiling/emulator/async/tensor_edits.cpp: kernels that change a tensor map: tensormap.replace,
// and the copy that shows it to others.
#include "profiling/emulator/async/tensor_edits.h"

#include <bit>
#include <cstring>
#include <optional>

#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/state/tensor_map.h"

namespace warpscope {
namespace {

constexpr int kMapBytes = sizeof(EmulatedTensorMap);

// Where a lane's map lies on the host. The access is checked in pieces of 16 bytes.
std::byte* map_bytes(Warp& w, const Instruction& i, std::uint32_t slot, std::int64_t offset,
                     AddressSpace space, AccessIntent intent) {
  std::byte* first = nullptr;
  for (int at = 0; at < kMapBytes; at += 16) {
    Access access;
    resolve(w, i, slot, offset + at, space, 16, 4, intent, AccessKind::store, kNoSite, access);
    if (access.mask == 0) return nullptr;
    if (at == 0) first = access.pointer[std::countr_zero(w.mask)];
  }
  return first;
}

// Why the emulator does not take a value; empty: it does.
std::string refused(TensorMapField field, std::uint64_t value) {
  if (field == TensorMapField::element_stride && value != 1) return "element strides other than 1";
  if (field == TensorMapField::interleave_layout && value != 0) return "interleaved layouts";
  if (field == TensorMapField::fill_mode && value != 0) return "fills other than zeros";
  if (field == TensorMapField::swizzle_mode && value > 3) return "this swizzle";
  return {};
}

// False: no such value.
bool replace(EmulatedTensorMap& map, TensorMapField field, std::size_t at, std::uint64_t value) {
  // Bytes of .u8, .u16, .u32, .s32, .u64, .s64, .f16, .f32, .f32.ftz, .f64, .bf16, .tf32 and
  // .tf32.ftz. source: PTX ISA, "tensormap.replace", elemtype.
  constexpr std::uint64_t kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  switch (field) {
    case TensorMapField::global_address:
      map.address = value;
      return value % 16 == 0;
    case TensorMapField::rank:
      map.dimensions = static_cast<std::uint16_t>(value + 1);
      return value < 5;
    case TensorMapField::box_dim:
      map.box[at] = static_cast<std::uint16_t>(value);
      return value >= 1 && value <= 256;
    case TensorMapField::global_dim:
      map.extents[at] = value;
      return value >= 1;
    case TensorMapField::global_stride:
      if (at + 1 >= map.strides.size()) return false;
      map.strides[at + 1] = value;
      return value % 16 == 0;
    case TensorMapField::elemtype:
      if (value >= std::size(kElementBytes)) return false;
      map.strides[0] = kElementBytes[value];
      map.type = static_cast<std::uint32_t>(value);
      return true;
    case TensorMapField::swizzle_mode:
      map.swizzle = static_cast<std::uint32_t>(value);
      return true;
    case TensorMapField::element_stride:
    case TensorMapField::interleave_layout:
    case TensorMapField::fill_mode:
      break;
  }
  return true;
}

}  // namespace

void run_tensor_map_replace(Warp& w, const Instruction& i) {
  const std::uint32_t mask = w.mask;
  const std::string& opcode = w.worker->source(i).opcode;
  for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    w.mask = 1u << lane;
    std::byte* const bytes = map_bytes(w, i, i.a, i.immediate, i.space, AccessIntent::update);
    if (bytes == nullptr) continue;
    EmulatedTensorMap map;
    std::memcpy(&map, bytes, sizeof map);
    const auto field = static_cast<TensorMapField>(i.subop);
    const std::uint64_t value =
        i.width == 8 ? w.slot<std::uint64_t>(i.b)[lane] : w.slot<std::uint32_t>(i.b)[lane];
    if (map.magic != EmulatedTensorMap::tensor_map_magic) {
      note_fault(w, i, FaultKind::out_of_bounds, w.mask,
                 opcode + " has an address without a tensor map");
      continue;
    }
    if (const std::string why = refused(field, value); !why.empty()) {
      note_fault(w, i, FaultKind::unsupported, w.mask,
                 "the emulator cannot run this: " + opcode + " asks for " + why);
      continue;
    }
    if (!replace(map, field, i.count, value)) {
      note_fault(w, i, FaultKind::out_of_bounds, w.mask,
                 opcode + " is given " + std::to_string(value) + ", which no tensor map may have");
    }
    std::memcpy(bytes, &map, sizeof map);
  }
  w.mask = mask;
}

void run_tensor_map_copy(Warp& w, const Instruction& i) {
  const std::uint32_t mask = w.mask;
  const auto offset = static_cast<std::int32_t>(w.worker->kernel->slots[i.extra]);
  w.mask = 1u << std::countr_zero(mask);  // .aligned: all lanes name one map
  const std::byte* const from =
      map_bytes(w, i, i.b, offset, AddressSpace::shared, AccessIntent::read);
  std::byte* const to = from == nullptr ? nullptr
                                        : map_bytes(w, i, i.a, i.immediate, AddressSpace::global,
                                                    AccessIntent::write);
  if (to != nullptr) std::memcpy(to, from, kMapBytes);
  w.mask = mask;
}

}  // namespace warpscope
