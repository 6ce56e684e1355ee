// profiling/claims/claim.cpp: what the names of a claim stand for, and the figures that it needs.
#include "profiling/claims/claim.h"

#include <algorithm>
#include <iterator>

#include "profiling/claims/claim_steps.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

// Whether the figure's settings, if it has any, are those of the configuration at hand.
bool is_at_hand(const ClaimName& name, const Scene& scene, const Configuration& axes) {
  if (name.settings.empty()) return true;
  const Result<Configuration> asked = configuration_of(name, scene, axes);
  return asked && !axes.values().empty() &&
         configuration_key(scene.axes, *asked, name.head) ==
             configuration_key(scene.axes, axes, name.head);
}

void collect(const ClaimNode& node, const Scene& scene, const Configuration& axes,
             std::vector<NeededFigure>& found) {
  const auto add = [&found](NeededFigure figure) {
    if (std::find(found.begin(), found.end(), figure) == found.end())
      found.push_back(std::move(figure));
  };
  if (node.kind == ClaimNode::Kind::gathered) return;  // its points may stand anywhere
  if (node.kind == ClaimNode::Kind::call &&
      (node.word.starts_with("best") || node.word.starts_with("fastest"))) {
    const std::string id = node.word.ends_with(".cold") ? "time.cold" : "time.warm";
    for (const ClaimNode& part : node.parts) {
      if (const auto variants = variants_of(part, scene, axes)) {
        for (const Variant* variant : *variants) add({variant->name, id});
      }
    }
    return;
  }
  if (node.kind == ClaimNode::Kind::name && find_variant(scene, node.name.head) != nullptr &&
      is_at_hand(node.name, scene, axes)) {
    const std::string& path = node.name.path;
    if (path.starts_with("bind")) {
      add({node.name.head, path.ends_with(".cold") ? "time.cold" : "time.warm"});
      for (const char* id : {"dram.bytes_read", "dram.bytes_write", "l2.bytes_to_sm", "l1.bytes"})
        add({node.name.head, id});
    } else {
      const std::optional<StepPath> steps = step_path(path);
      const std::string id = steps ? steps->id : path;
      const bool timed = id == "outcome" || id == "time" || id == "count" || id == "shared_bytes";
      if (!id.starts_with("epoch.") && id != "reference")
        add({node.name.head, timed ? "time.warm" : id});
    }
  }
  for (const ClaimNode& part : node.parts) collect(part, scene, axes, found);
}

}  // namespace

const char* to_text(ClaimStanding standing) {
  return named(standing, {"holds", "does not hold", "not known"});
}

std::string pipe_word(Pipe pipe) {
  return named(pipe, {"fp32", "half2", "dp4a", "mma_f16", "mma_bf16", "mma_tf32", "mma_s8",
                      "wgmma_f16", "wgmma_bf16", "wgmma_tf32", "wgmma_s8"});
}

std::optional<std::vector<const Variant*>> variants_of(const ClaimNode& node, const Scene& scene,
                                                       const Configuration& axes) {
  if (node.kind != ClaimNode::Kind::name) return std::nullopt;
  const auto& [head, path, settings] = node.name;
  const Variant* alike = head == "like" ? find_variant(scene, path) : nullptr;
  std::vector<const Variant*> found;
  bool known = head == "all" && path.empty();
  for (const Variant& variant : scene.variants) {
    const bool named = path.empty()       ? head == "all" || variant.name == head
                       : head == "family" ? variant.family == path
                       : head == "league"
                           ? variant.league == path
                           : alike != nullptr && variant.reference == alike->reference &&
                                 variant.accuracy == alike->accuracy &&
                                 variant.league == alike->league;
    if (!named) continue;
    known = true;
    if (axes.values().empty() || applies(variant, axes)) found.push_back(&variant);
  }
  return known ? std::optional(std::move(found)) : std::nullopt;
}

Result<Configuration> configuration_of(const ClaimName& name, const Scene& scene,
                                       const Configuration& axes) {
  if (name.settings.empty()) return axes;
  return with_values(scene.axes, axes.values().empty() ? default_configuration(scene.axes) : axes,
                     name.settings);
}

std::vector<NeededFigure> needed_figures(const Claim& claim, const Scene& scene,
                                         const Configuration& axes) {
  std::vector<NeededFigure> found;
  collect(*claim.root, scene, axes, found);
  return found;
}

}  // namespace warpscope
