// scenes/base/texts/code_id.cpp: which code a figure belongs to: the source of a variant, whatever
// it looks like.
#include "scenes/base/texts/code_id.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "scenes/base/texts/code_tokens.h"
#include "scenes/host/build_stamp.h"

namespace warpscope {
namespace {

// The hash of a text's tokens, computed once for every text.
std::string tokens_hash(const KernelSource& source) {
  static std::mutex mutex;
  static std::map<std::string, std::string> known;  // by the hash of the text
  const bool ptx = source.path.ends_with(".ptx");
  const std::string key = (ptx ? "ptx " : "") + source.hash;
  const std::lock_guard lock(mutex);
  auto found = known.find(key);
  if (found == known.end()) {
    const std::string tokens = ptx ? ptx_tokens(source.text) : code_tokens(source.text);
    found = known.emplace(key, hash_of(tokens)).first;
  }
  return found->second;
}

// The parts of an identity, each with its length: no part runs into the next.
class Identity {
 public:
  void add(std::string_view part) {
    all_ += std::to_string(part.size());
    all_ += ':';
    all_ += part;
  }
  std::string hash() const { return hash_of(all_); }

 private:
  std::string all_;
};

std::string product_version() {
  const std::string stamp = build_stamp();
  return stamp.substr(0, stamp.find(' '));
}

// What a memset or a copy touches; of whole buffers nothing, as before there were parts.
void add_part(Identity& id, const BufferPart& part) {
  if (part.offset_bytes == 0 && part.bytes == BufferPart{}.bytes) return;
  id.add("part");
  id.add(std::to_string(part.offset_bytes));
  id.add(std::to_string(part.bytes));
}

// What a module is compiled of, of a launch or of what fills its constants.
template <typename Action>
Result<void> add_module(Identity& id, const char* kind, const Action& action,
                        const SourceLookup& sources) {
  const Result<std::vector<KernelSource>> texts = sources(action.source);
  if (!texts) return tl::unexpected(texts.error());
  id.add(kind);
  for (const KernelSource& source : *texts) id.add(tokens_hash(source));
  // The order of constants says nothing.
  auto defines = action.defines;
  std::stable_sort(defines.begin(), defines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  id.add("defines");
  for (const auto& [name, value] : defines) {
    id.add(name);
    id.add(value);
  }
  return {};
}

Result<void> add_kernel(Identity& id, const KernelLaunch& kernel, const SourceLookup& sources) {
  if (Result<void> added = add_module(id, "kernel", kernel, sources); !added) return added;
  id.add(kernel.entry);
  id.add(kernel.architecture_features ? "one architecture" : "any architecture");
  return {};
}

Result<void> add_constants(Identity& id, const ConstantCopy& copy, const SourceLookup& sources) {
  if (Result<void> added = add_module(id, "constants", copy, sources); !added) return added;
  id.add(copy.symbol);
  id.add(copy.from);
  add_part(id, copy.part);
  return {};
}

template <typename Action>
bool has_step(const Variant& variant, const Workload& workload, bool prepares_too) {
  const std::vector<Step> steps = variant.steps(workload);
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    return (prepares_too || step.phase == Phase::run) &&
           std::holds_alternative<Action>(step.action);
  });
}

}  // namespace

Result<std::optional<std::string>> code_id(const std::vector<Step>& steps,
                                           const SourceLookup& sources,
                                           const LibraryVersions& versions) {
  Identity id;
  for (const Step& step : steps) {
    if (const auto* kernel = std::get_if<KernelLaunch>(&step.action)) {
      if (Result<void> added = add_kernel(id, *kernel, sources); !added)
        return tl::unexpected(added.error());
    } else if (const auto* call = std::get_if<LibraryCall>(&step.action)) {
      const auto version = versions(library_of(*call));
      if (!version) return std::nullopt;
      id.add("library");
      id.add(call->name);
      id.add(*version);
    } else if (const auto* host = std::get_if<HostStep>(&step.action)) {
      id.add("host");
      id.add(host->sentence);
      id.add(product_version());
    } else if (const auto* memset = std::get_if<Memset>(&step.action)) {
      id.add("memset");
      id.add(memset->buffer);
      id.add(std::to_string(memset->value));
      add_part(id, memset->part);
    } else if (const auto* copy = std::get_if<DeviceCopy>(&step.action)) {
      id.add("copy");
      id.add(copy->from);
      add_part(id, copy->from_part);
      id.add(copy->to);
      add_part(id, copy->to_part);
    } else if (const auto* host_copy = std::get_if<HostCopy>(&step.action)) {
      id.add(host_copy->direction == HostCopy::Direction::to_host ? "to host" : "to device");
      id.add(host_copy->buffer);
      add_part(id, host_copy->part);
    } else if (const auto* constants = std::get_if<ConstantCopy>(&step.action)) {
      if (Result<void> added = add_constants(id, *constants, sources); !added)
        return tl::unexpected(added.error());
    }
  }
  return id.hash();
}

std::optional<std::string> current_code_id(const Variant& variant, const Workload& workload,
                                           const SourceLookup& sources,
                                           const LibraryVersions& versions) {
  try {
    const auto id = code_id(variant.steps(workload), sources, versions);
    return id ? *id : std::nullopt;
  } catch (const std::out_of_range&) {
    return std::nullopt;  // recorded before the steps asked for this fact
  }
}

std::string_view library_of(const LibraryCall& call) {
  return std::string_view(call.name).substr(0, call.name.find('.'));
}

bool runs_kernels(const Variant& variant, const Workload& workload) {
  return has_step<KernelLaunch>(variant, workload, false);
}

bool calls_library(const Variant& variant, const Workload& workload) {
  return has_step<LibraryCall>(variant, workload, true);
}

bool runs_on_host_alone(const Variant& variant, const Workload& workload) {
  const std::vector<Step> steps = variant.steps(workload);
  return std::all_of(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<HostStep>(step.action);
  });
}

}  // namespace warpscope
