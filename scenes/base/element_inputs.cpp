// scenes/base/element_inputs.cpp: inputs that are functions of the element's index, made when they
// are needed.
#include "scenes/base/element_inputs.h"

#include <algorithm>
#include <vector>

#include "scenes/host/parallel.h"

namespace warpscope {
namespace {

constexpr std::int64_t kSmallestPiece =
    1 << 16;  // elements: below, a thread costs more than it saves

// The elements from `first` on that fill `bytes`, on several threads.
void fill(const InputGroup& group, const Workload& workload, const BufferSpec& array,
          std::int64_t first, std::span<std::byte> bytes) {
  const std::int64_t size = element_bytes(array.type);
  parallel_for(static_cast<std::int64_t>(bytes.size()) / size, kSmallestPiece,
               [&](std::int64_t begin, std::int64_t end) {
                 group.elements(workload, array.name, first + begin,
                                bytes.subspan(static_cast<std::size_t>(begin * size),
                                              static_cast<std::size_t>((end - begin) * size)));
               });
}

}  // namespace

bool makes(const InputGroup& group, const std::string& array) {
  return std::find(group.arrays.begin(), group.arrays.end(), array) != group.arrays.end();
}

const InputGroup* group_of(const Scene& scene, const std::string& array) {
  for (const InputGroup& group : scene.input_groups) {
    if (makes(group, array)) return &group;
  }
  return nullptr;
}

void make_element_inputs(const Scene& scene, const Workload& workload, Inputs& inputs,
                         std::int64_t most_bytes) {
  const bool any = std::any_of(scene.input_groups.begin(), scene.input_groups.end(),
                               [](const InputGroup& group) { return group.elements != nullptr; });
  if (!any) return;
  for (const BufferSpec& spec : scene.buffers(workload)) {
    const InputGroup* group = group_of(scene, spec.name);
    if (group == nullptr || !group->elements || inputs.count(spec.name) != 0) continue;
    const std::int64_t bytes = spec.count * element_bytes(spec.type);
    if (bytes > most_bytes) continue;
    most_bytes -= bytes;
    inputs[spec.name] = HostArray::whole(spec.type, spec.count,
                                         [&](std::int64_t first, std::span<std::byte> elements) {
                                           group->elements(workload, spec.name, first, elements);
                                         });
  }
}

Result<void> element_pieces(
    const InputGroup& group, const Workload& workload, const BufferSpec& array,
    std::int64_t piece_bytes,
    const std::function<Result<void>(std::int64_t offset, std::span<const std::byte>)>& take) {
  const std::int64_t size = element_bytes(array.type);
  const std::int64_t piece = std::max<std::int64_t>(1, piece_bytes / size);
  std::vector<std::byte> bytes;
  for (std::int64_t first = 0; first < array.count; first += piece) {
    bytes.resize(static_cast<std::size_t>(std::min(piece, array.count - first) * size));
    fill(group, workload, array, first, bytes);
    if (Result<void> taken = take(first * size, bytes); !taken) return taken;
  }
  return {};
}

}  // namespace warpscope
