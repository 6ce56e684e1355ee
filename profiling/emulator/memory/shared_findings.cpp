// profiling/emulator/memory/shared_findings.cpp: what the shadow of shared memory found, as
// sentences.
#include "profiling/emulator/memory/access_path.h"

namespace warpscope {

SharedPlace shared_place(const Worker& worker, std::int64_t offset, int element) {
  SharedPlace place{"shared memory at byte " + std::to_string(offset), {}, -1};
  for (const KernelCode::SharedVariable& v : worker.kernel->shared_variables) {
    const std::int64_t at = offset - v.offset;
    const bool dynamic = v.bytes == 0;
    if (at < 0 || (!dynamic && at >= v.bytes)) continue;
    place.buffer = v.name;
    place.index = at / (v.element_bytes > 1 ? v.element_bytes : element);
    place.name = place.buffer + "[" + std::to_string(place.index) + "]";
  }
  return place;
}

namespace {

constexpr const char* kNotFenced =
    " wrote with no fence.proxy.async behind it: wgmma may still see what was there before";

std::string product_text(const Worker& k) {
  const InstructionSource& product = k.kernel->sources[k.shadow.product_source()];
  return ", which the " + product.opcode + " of line " + std::to_string(product.position.line) +
         " may still read: no warp that has waited for it has met this thread since";
}

}  // namespace

void note_shared_finding(Warp& warp, const Instruction& i, SharedFinding finding, int lane,
                         std::int64_t offset, int element, AccessIntent intent, int other_lane) {
  if (finding == SharedFinding::none) return;
  Worker& k = *warp.worker;
  const std::uint32_t lanes = 1u << lane;
  const FaultKind kind = finding == SharedFinding::uninitialised ? FaultKind::uninitialised_read
                         : finding == SharedFinding::not_waited  ? FaultKind::missing_wait
                         : finding == SharedFinding::not_fenced  ? FaultKind::missing_fence
                                                                 : FaultKind::shared_race;
  if (!fault_is_first(warp, i, kind, lanes)) return;
  const SharedPlace place = shared_place(k, offset, element);
  const std::string& opcode = k.source(i).opcode;
  const auto thread_text = [&] {
    const Dim3 t = other_lane >= 0
                       ? thread_of(k, warp, other_lane)
                       : thread_of(k, k.warps[static_cast<std::size_t>(k.shadow.other_warp())],
                                   k.shadow.other_lane());
    return "thread (" + std::to_string(t.x) + ", " + std::to_string(t.y) + ", " +
           std::to_string(t.z) + ")";
  };
  const auto phase_text = [&] {
    const AsyncBarrier& b = k.async_barriers[k.shadow.other_barrier()];
    return "phase " + std::to_string(k.shadow.other_phase() - b.first_phase) +
           " of the barrier at shared byte " + std::to_string(b.offset);
  };
  const bool bulk = k.shadow.other_barrier() >= 0;
  std::string text = opcode + verb_of(intent) + place.name;
  switch (finding) {
    case SharedFinding::none:
      return;
    case SharedFinding::uninitialised:
      text += ", which nothing has written";
      break;
    case SharedFinding::not_waited:
      text += bulk ? " before it has waited for " + phase_text() +
                         ", which ends when the copy of " + thread_text() + " is over"
                   : " before " + thread_text() + " has waited for its asynchronous copy";
      break;
    case SharedFinding::race:
      text += bulk ? ", which the copy of " + thread_text() +
                         " may still fill: it has not waited for " + phase_text()
                   : ", which " + thread_text() + " uses too without a barrier between them";
      break;
    case SharedFinding::different_values:
      text += ", to which " + thread_text() +
              " of the same warp stores another value in the same instruction";
      break;
    case SharedFinding::not_fenced:
      text += ", which " + thread_text() + kNotFenced;
      break;
    case SharedFinding::still_multiplied:
      text += product_text(k);
      break;
    case SharedFinding::race_in_warp:
      text +=
          ", which " + thread_text() + " of the same warp uses too without __syncwarp between them";
      break;
  }
  tell_fault(warp, i, kind, lanes, text, place.buffer, place.index);
}

}  // namespace warpscope
