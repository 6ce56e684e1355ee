// profiling/emulator/memory/access_faults.cpp: faults of memory instructions, in words.
#include <bit>
#include <cstdio>

#include "profiling/emulator/memory/memory_path.h"

namespace warpscope {
namespace {

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}
std::string bytes_text(std::int64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

// A host would fill it; values of zero look the same in PTX.
std::string unfilled_text(const std::string& array) {
  return ", a __constant__ array without values, which was never filled and so reads as 0: fill it "
         "from a buffer with constants = { " +
         array + " = \"BUFFER\" } in scene.toml, or write its values in the source";
}

}  // namespace

void MemoryPath::fault_misaligned(std::uint32_t bad) const {
  if (!fault_is_first(warp, i, FaultKind::misaligned, bad)) return;
  const std::uint64_t address = access.address[std::countr_zero(bad)];
  std::string buffer;
  std::int64_t index = -1;
  std::string what = "address " + hexadecimal(address);
  if (const MemoryBuffer* b = worker().run->memory->find(address)) {
    what = element_name(*b, static_cast<std::int64_t>(address - b->address), &index);
    buffer = b->spec.name;
  }
  tell_fault(
      warp, i, FaultKind::misaligned, bad,
      opcode() + verb_of(intent) + what + ", " +
          bytes_text(static_cast<std::int64_t>(address % static_cast<std::uint64_t>(width))) +
          " past a multiple of its " + std::to_string(width) + " bytes",
      buffer, index);
}

void MemoryPath::fault_outside(std::uint32_t lanes) const {
  if (!fault_is_first(warp, i, FaultKind::out_of_bounds, lanes)) return;
  const std::uint64_t address = access.address[std::countr_zero(lanes)];
  const MemoryBuffer* b = worker().run->memory->nearest(address);
  if (const MemoryBuffer* holder = worker().run->memory->find(address)) b = holder;
  std::string detail = opcode() + verb_of(intent), buffer;
  std::int64_t index = -1;
  if (b == nullptr) {
    detail += address < 4096 ? "through a null pointer (address " + hexadecimal(address) + ")"
                             : "address " + hexadecimal(address) + ", which is in no buffer";
  } else {
    const auto offset = static_cast<std::int64_t>(address - b->address);
    detail += element_name(*b, offset, &index) + ", ";
    buffer = b->spec.name;
    if (b->holds(address, static_cast<std::uint64_t>(width))) {
      detail += b->internal ? "which is constant: kernels only read it"
                            : "which is an input: kernels must not write to it, since every run "
                              "uses it";
    } else if (offset < 0) {
      detail += bytes_text(-offset) + " before the first byte of " + b->spec.name;
    } else {
      detail += bytes_text(offset + width - b->bytes) + " beyond the " + bytes_text(b->bytes) +
                " of " + b->spec.name;
    }
  }
  tell_fault(warp, i, FaultKind::out_of_bounds, lanes, detail, buffer, index);
}

void MemoryPath::fault_uninitialised(const MemoryBuffer& b, std::uint32_t lanes) const {
  if (!fault_is_first(warp, i, FaultKind::uninitialised_read, lanes)) return;
  std::int64_t index = -1;
  const int lane = std::countr_zero(lanes);
  const auto offset = static_cast<std::int64_t>(access.address[lane] - b.address) +
                      empty_element(b, lane) * element;
  const std::string name = element_name(b, offset, &index);
  const bool constant = b.internal && b.read_only;
  tell_fault(warp, i, FaultKind::uninitialised_read, lanes,
             opcode() + " reads " + name +
                 (constant ? unfilled_text(b.spec.name) : ", which was never written"),
             b.spec.name, index);
}

void MemoryPath::fault_outside_shared(std::uint32_t lanes, const KernelCode::SharedVariable* array,
                                      std::int64_t bytes) const {
  if (!fault_is_first(warp, i, FaultKind::out_of_bounds, lanes)) return;
  // Addresses of shared memory have 32 bits: what lies before byte 0 wraps around.
  const std::int64_t at = static_cast<std::int32_t>(access.address[std::countr_zero(lanes)]);
  std::string detail = opcode() + verb_of(intent);
  if (array == nullptr) {
    tell_fault(warp, i, FaultKind::out_of_bounds, lanes,
               detail + "shared memory at byte " + std::to_string(at) + ", beyond the " +
                   bytes_text(bytes) + " of the block",
               "shared memory", -1);
    return;
  }
  const std::int64_t offset = at - array->offset;
  const std::int64_t size = array->element_bytes > 1 ? array->element_bytes : element;
  const std::int64_t index = offset >= 0 ? offset / size : -((size - 1 - offset) / size);
  detail += array->name + index_text(array->source, index) + ", ";
  if (offset < 0) {
    detail += bytes_text(-offset) + " before the first byte of " + array->name;
  } else {
    detail += bytes_text(offset + width - bytes) + " beyond the " + bytes_text(bytes) + " of " +
              array->name;
  }
  tell_fault(warp, i, FaultKind::out_of_bounds, lanes, detail, array->name, index);
}

namespace {

std::string rank_text(const Worker& other) {
  return std::to_string(rank_of(other.block, other.run->launch.cluster)) + " of the cluster";
}

}  // namespace

void MemoryPath::fault_outside_block(int lane, std::uint64_t offset, const Worker& other) const {
  note_fault(warp, i, FaultKind::out_of_bounds, 1u << lane,
             opcode() + verb_of(intent) + "shared memory at byte " + std::to_string(offset) +
                 " of the block of rank " + rank_text(other) + ", beyond its " +
                 bytes_text(static_cast<std::int64_t>(other.shared.size())),
             "shared memory");
}

void MemoryPath::fault_empty_block(int lane, std::uint64_t offset, const Worker& other) const {
  note_fault(warp, i, FaultKind::uninitialised_read, 1u << lane,
             opcode() + " reads " +
                 shared_place(other, static_cast<std::int64_t>(offset), element).name +
                 " of the block of rank " + rank_text(other) + ", which was never written",
             "shared memory");
}

void MemoryPath::fault_not_mapped(std::uint32_t lanes) const {
  note_fault(warp, i, FaultKind::out_of_bounds, lanes,
             opcode() + verb_of(intent) +
                 "memory of another block of the cluster, which .shared::cta does not reach: name "
                 ".shared::cluster, or a generic address",
             "shared memory");
}

void MemoryPath::fault_outside_local(std::uint32_t lanes) const {
  note_fault(
      warp, i, FaultKind::out_of_bounds, lanes,
      opcode() + verb_of(intent) + "local memory at byte " +
          std::to_string(static_cast<std::int64_t>(access.address[std::countr_zero(lanes)])) +
          ", beyond the " + bytes_text(worker().kernel->local_bytes) + " of a thread",
      "local memory");
}

void MemoryPath::fault_empty_local(std::uint32_t lanes, std::uint64_t byte) const {
  note_fault(warp, i, FaultKind::uninitialised_read, lanes,
             opcode() + " reads local memory at byte " + std::to_string(byte) +
                 ", which was never written",
             "local memory");
}

}  // namespace warpscope
