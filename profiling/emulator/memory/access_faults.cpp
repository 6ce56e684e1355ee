// profiling/emulator/memory/access_faults.cpp: faults of memory instructions, in words.
#include <algorithm>
#include <bit>
#include <cstdio>

#include "profiling/emulator/memory/memory_path.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}
std::string bytes_text(std::int64_t n) { return plural(n, "byte"); }

// A host would fill it; values of zero look the same in PTX.
std::string unfilled_text(const std::string& array) {
  return ", a __constant__ array without values, which was never filled and so reads as 0: fill it "
         "from a buffer with constants = { " +
         array + " = \"BUFFER\" } in scene.toml, or write its values in the source";
}

}  // namespace

void fault_misaligned(const MemoryPath& path, std::uint32_t bad) {
  if (!fault_is_first(path.warp, path.i, FaultKind::misaligned, bad)) return;
  const std::uint64_t address = path.access.address[std::countr_zero(bad)];
  std::string buffer;
  std::int64_t index = -1;
  std::string what = "address " + hexadecimal(address);
  if (const MemoryBuffer* b = path.worker().run->memory->find(address)) {
    what = element_name(*b, static_cast<std::int64_t>(address - b->address), &index);
    buffer = b->spec.name;
  }
  tell_fault(
      path.warp, path.i, FaultKind::misaligned, bad,
      path.opcode() + verb_of(path.intent) + what + ", " +
          bytes_text(static_cast<std::int64_t>(address % static_cast<std::uint64_t>(path.width))) +
          " past a multiple of its " + std::to_string(path.width) + " bytes",
      buffer, index);
}

namespace {

// Elements with which the buffer would hold the accesses of these lanes; 0: they are not beyond it.
std::int64_t elements_needed(const MemoryPath& path, std::uint32_t lanes, const MemoryBuffer& b) {
  std::uint64_t least = ~0ull, most = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::uint64_t address = path.access.address[std::countr_zero(left)];
    least = std::min(least, address);
    most = std::max(most, address);
  }
  const auto end_of = [&](std::uint64_t address) {
    return static_cast<std::int64_t>(address - b.address) + path.width;
  };
  if (least < b.address || end_of(least) <= b.bytes) return 0;
  // If the farthest one is still nearest to this buffer, so are those before it.
  if (path.worker().run->memory->nearest(most) != &b) return 0;
  const std::int64_t size = element_bytes(b.spec.type);
  return (end_of(most) + size - 1) / size;
}

void tell_outside(const MemoryPath& path, std::uint32_t lanes, const MemoryBuffer* b);

}  // namespace

void fault_outside(const MemoryPath& path, std::uint32_t lanes) {
  const std::uint64_t address = path.access.address[std::countr_zero(lanes)];
  const MemoryBuffer* b = path.worker().run->memory->nearest(address);
  if (const MemoryBuffer* holder = path.worker().run->memory->find(address)) b = holder;
  if (fault_is_first(path.warp, path.i, FaultKind::out_of_bounds, lanes))
    tell_outside(path, lanes, b);
  path.worker().faults.need(FaultKind::out_of_bounds, path.i.source,
                            b == nullptr ? "" : b->spec.name,
                            b == nullptr ? 0 : elements_needed(path, lanes, *b));
}

namespace {

void tell_outside(const MemoryPath& path, std::uint32_t lanes, const MemoryBuffer* b) {
  const std::uint64_t address = path.access.address[std::countr_zero(lanes)];
  std::string detail = path.opcode() + verb_of(path.intent), buffer;
  std::int64_t index = -1;
  if (b == nullptr) {
    detail += address < 4096 ? "through a null pointer (address " + hexadecimal(address) + ")"
                             : "address " + hexadecimal(address) + ", which is in no buffer";
  } else {
    const auto offset = static_cast<std::int64_t>(address - b->address);
    detail += element_name(*b, offset, &index) + ", ";
    buffer = b->spec.name;
    if (b->holds(address, static_cast<std::uint64_t>(path.width))) {
      detail += b->internal ? "which is constant: kernels only read it"
                            : "which is an input: kernels must not write to it, since every run "
                              "uses it";
    } else if (offset < 0) {
      detail += bytes_text(-offset) + " before the first byte of " + b->spec.name;
    } else {
      detail += bytes_text(offset + path.width - b->bytes) + " beyond the " + bytes_text(b->bytes) +
                " of " + b->spec.name;
    }
  }
  tell_fault(path.warp, path.i, FaultKind::out_of_bounds, lanes, detail, buffer, index);
}

}  // namespace

void fault_uninitialised(Warp& warp, const Instruction& i, const MemoryBuffer& b,
                         std::uint32_t lanes, std::int64_t offset) {
  if (!fault_is_first(warp, i, FaultKind::uninitialised_read, lanes)) return;
  std::int64_t index = -1;
  const std::string name = element_name(b, offset, &index);
  const bool constant = b.internal && b.read_only;
  tell_fault(warp, i, FaultKind::uninitialised_read, lanes,
             warp.worker->source(i).opcode + " reads " + name +
                 (constant ? unfilled_text(b.spec.name) : ", which was never written"),
             b.spec.name, index);
}

namespace {

// Bytes of dynamic shared memory with which these lanes' accesses would lie inside; 0: they are of
// another array, or before it.
std::int64_t shared_bytes_needed(const MemoryPath& path, std::uint32_t lanes,
                                 const KernelCode::SharedVariable* array) {
  const KernelCode& kernel = *path.worker().kernel;
  const auto dynamic = std::find_if(kernel.shared_variables.begin(), kernel.shared_variables.end(),
                                    [](const auto& v) { return v.bytes == 0; });
  if (dynamic == kernel.shared_variables.end() || (array != nullptr && array->bytes > 0)) return 0;
  std::int64_t needed = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::int64_t at =
        static_cast<std::int32_t>(path.access.address[std::countr_zero(left)]) - dynamic->offset;
    if (at < 0) return 0;
    needed = std::max(needed, at + path.width);
  }
  return needed;
}

void tell_outside_shared(const MemoryPath& path, std::uint32_t lanes,
                         const KernelCode::SharedVariable* array, std::int64_t bytes) {
  // Addresses of shared memory have 32 bits: what lies before byte 0 wraps around.
  const std::int64_t at = static_cast<std::int32_t>(path.access.address[std::countr_zero(lanes)]);
  std::string detail = path.opcode() + verb_of(path.intent);
  if (array == nullptr) {
    tell_fault(path.warp, path.i, FaultKind::out_of_bounds, lanes,
               detail + "shared memory at byte " + std::to_string(at) + ", beyond the " +
                   bytes_text(bytes) + " of the block",
               kUnnamedShared, -1);
    return;
  }
  const std::int64_t offset = at - array->offset;
  const std::int64_t size = array->element_bytes > 1 ? array->element_bytes : path.element;
  const std::int64_t index = offset >= 0 ? offset / size : -((size - 1 - offset) / size);
  detail += array->name + index_text(array->source, index) + ", ";
  if (offset < 0) {
    detail += bytes_text(-offset) + " before the first byte of " + array->name;
  } else {
    detail += bytes_text(offset + path.width - bytes) + " beyond the " + bytes_text(bytes) +
              " of " + array->name;
  }
  tell_fault(path.warp, path.i, FaultKind::out_of_bounds, lanes, detail, array->name, index);
}

}  // namespace

void fault_outside_shared(const MemoryPath& path, std::uint32_t lanes,
                          const KernelCode::SharedVariable* array, std::int64_t bytes) {
  if (fault_is_first(path.warp, path.i, FaultKind::out_of_bounds, lanes))
    tell_outside_shared(path, lanes, array, bytes);
  path.worker().faults.need(FaultKind::out_of_bounds, path.i.source,
                            array == nullptr ? kUnnamedShared : array->name,
                            shared_bytes_needed(path, lanes, array));
}

namespace {

std::string rank_text(const Worker& other) {
  return std::to_string(rank_of(other.block, other.run->launch.cluster)) + " of the cluster";
}

}  // namespace

void fault_outside_block(const MemoryPath& path, int lane, std::uint64_t offset,
                         const Worker& other) {
  note_fault(path.warp, path.i, FaultKind::out_of_bounds, 1u << lane,
             path.opcode() + verb_of(path.intent) + "shared memory at byte " +
                 std::to_string(offset) + " of the block of rank " + rank_text(other) +
                 ", beyond its " + bytes_text(static_cast<std::int64_t>(other.shared.size())),
             kUnnamedShared);
}

void fault_empty_block(const MemoryPath& path, int lane, std::uint64_t offset,
                       const Worker& other) {
  note_fault(path.warp, path.i, FaultKind::uninitialised_read, 1u << lane,
             path.opcode() + " reads " +
                 shared_place(other, static_cast<std::int64_t>(offset), path.element).name +
                 " of the block of rank " + rank_text(other) + ", which was never written",
             kUnnamedShared);
}

void fault_not_mapped(const MemoryPath& path, std::uint32_t lanes) {
  note_fault(path.warp, path.i, FaultKind::out_of_bounds, lanes,
             path.opcode() + verb_of(path.intent) +
                 "memory of another block of the cluster, which .shared::cta does not reach: name "
                 ".shared::cluster, or a generic address",
             kUnnamedShared);
}

void fault_outside_local(const MemoryPath& path, std::uint32_t lanes) {
  note_fault(
      path.warp, path.i, FaultKind::out_of_bounds, lanes,
      path.opcode() + verb_of(path.intent) + "local memory at byte " +
          std::to_string(static_cast<std::int64_t>(path.access.address[std::countr_zero(lanes)])) +
          ", beyond the " + bytes_text(path.worker().kernel->local_bytes) + " of a thread",
      "local memory");
}

void fault_empty_local(Warp& warp, const Instruction& i, std::uint32_t lanes, std::uint64_t byte) {
  note_fault(warp, i, FaultKind::uninitialised_read, lanes,
             warp.worker->source(i).opcode + " reads local memory at byte " + std::to_string(byte) +
                 ", which was never written",
             "local memory");
}

}  // namespace warpscope
