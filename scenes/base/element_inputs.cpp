// scenes/base/element_inputs.cpp: inputs that are functions of the element's index, made when they
// are needed.
#include "scenes/base/element_inputs.h"

#include <algorithm>
#include <memory>
#include <utility>
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

namespace {

// The groups whose facts are late, in order.
std::vector<InputGroup> late_groups(const Scene& scene) {
  std::vector<InputGroup> groups;
  for (const InputGroup& group : scene.input_groups) {
    if (is_made_by_page(scene, group) && group.generate) groups.push_back(group);
  }
  return groups;
}

std::shared_ptr<const LateFacts::Group> late_group(const Scene& scene, const InputGroup& group,
                                                   const Configuration& axes) {
  return std::make_shared<LateFacts::Group>(
      group.name,
      [generate = group.generate,
       axes = with_defaults(scene.axes, axes)](const Facts& before) -> std::optional<Facts> {
        Facts facts = before;
        Inputs made;  // of one group at a time, for the facts alone
        if (!generate(axes, made, facts)) return std::nullopt;
        std::erase_if(facts, [&before](const auto& fact) { return before.count(fact.first) != 0; });
        return facts;
      });
}

// Groups that were not made anew keep what was summed over them `before`.
std::shared_ptr<const LateFacts> late_facts(const Scene& scene, const Workload& workload,
                                            const std::vector<std::string>& made,
                                            const LateFacts* before) {
  LateFacts::Groups groups;
  for (const InputGroup& group : late_groups(scene)) {
    std::shared_ptr<const LateFacts::Group> kept;
    if (before != nullptr && std::find(made.begin(), made.end(), group.name) == made.end()) {
      const auto old =
          std::find_if(before->groups().begin(), before->groups().end(),
                       [&group](const auto& each) { return each->name() == group.name; });
      if (old != before->groups().end()) kept = *old;
    }
    groups.push_back(kept ? std::move(kept) : late_group(scene, group, workload.axes));
  }
  if (groups.empty()) return nullptr;
  return std::make_shared<LateFacts>(workload.facts, std::move(groups));
}

// The group's arrays here, made by page but for those of its outline; false where one of them has
// to be made whole.
bool page_arrays(const InputGroup& group, const std::vector<BufferSpec>& specs,
                 const std::shared_ptr<const Workload>& workload, Inputs& inputs) {
  Inputs paged;
  for (const BufferSpec& spec : specs) {
    if (!makes(group, spec.name)) continue;
    if (group.by_index && !group.by_index(*workload, spec.name)) {
      if (group.outline) continue;
      return false;
    }
    paged.emplace(spec.name,
                  HostArray::by_page(spec.type, spec.count,
                                     [elements = group.elements, workload, name = spec.name](
                                         std::int64_t first, std::span<std::byte> bytes) {
                                       elements(*workload, name, first, bytes);
                                     }));
  }
  if (!group.outline) {
    for (const std::string& array : group.arrays) inputs.erase(array);
  }
  for (auto& [name, array] : paged) inputs.insert_or_assign(name, std::move(array));
  return true;
}

}  // namespace

bool is_made_by_page(const Scene& scene, const InputGroup& group) {
  if (!group.elements) return false;
  return group.outline || std::none_of(scene.input_groups.begin(), scene.input_groups.end(),
                                       [&group](const InputGroup& other) {
                                         return std::find(other.after.begin(), other.after.end(),
                                                          group.name) != other.after.end();
                                       });
}

Result<std::vector<std::string>> regenerate_inputs_by_page(const Scene& scene,
                                                           const Configuration& next,
                                                           std::optional<Configuration> previous,
                                                           Workload& workload, Inputs& inputs) {
  // The same groups, of which those made by page do no more than their outlines.
  Scene whole;
  whole.axes = scene.axes;
  whole.input_groups = scene.input_groups;
  for (InputGroup& group : whole.input_groups) {
    if (!is_made_by_page(scene, group)) continue;
    const auto nothing = [](const Configuration&, Inputs&, Facts&) { return Result<void>{}; };
    group.generate = group.outline ? group.outline : nothing;
  }
  workload.axes = next;
  const std::shared_ptr<const LateFacts> before = std::exchange(workload.late, nullptr);
  Result<std::vector<std::string>> made =
      regenerate_inputs(whole, previous ? &*previous : nullptr, next, inputs, workload.facts);
  if (!made) return made;
  workload.late = late_facts(scene, workload, *made, previous ? before.get() : nullptr);
  // As regenerate_inputs: what a variant's own axis decides is made at its default for the others.
  const auto shared =
      std::make_shared<const Workload>(Workload{with_defaults(scene.axes, next), workload.facts});
  const std::vector<BufferSpec> specs = scene.buffers(workload);
  for (const InputGroup& group : scene.input_groups) {
    if (!is_made_by_page(scene, group)) continue;
    if (std::find(made->begin(), made->end(), group.name) == made->end()) continue;
    if (page_arrays(group, specs, shared, inputs)) continue;
    if (!group.generate)
      return failure(ErrorKind::internal, "its arrays cannot be generated here", group.name);
    Facts late = workload.facts;
    if (Result<void> done = group.generate(shared->axes, inputs, late); !done)
      return tl::unexpected(done.error());
  }
  return made;
}

}  // namespace warpscope
