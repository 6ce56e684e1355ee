// workbench/workspace/workspace_words.cpp: texts of scenes as they stand on the session at hand.
#include "profiling/claims/claim_text.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

ClaimContext Workspace::claims() const {
  return {&scene(), &session_, selection.axes, device(), lent_, &standings_};
}

const std::string& Workspace::words(const std::string& text) const {
  // Asked for in every frame that shows it; a claim looks at points, roofs and samples.
  if (words_.revision != session_.revision() || words_.openings != openings_ ||
      words_.scene != scene_ || words_.axes != selection.axes || words_.device != device())
    words_ = {session_.revision(), openings_, scene_, device(), selection.axes, {}};
  const auto [found, added] = words_.texts.try_emplace(text);
  if (added) found->second = resolve(text, claims());
  return found->second;
}

std::string Workspace::words(const std::string& text, const Configuration& axes) const {
  return resolve(text, {&scene(), &session_, axes, device_at(scene(), axes), lent_, &standings_});
}

std::string Workspace::story(const Scene& scene) const {
  if (scene.name == scene_) return words(scene.story);
  const Configuration axes = default_configuration(scene.axes);
  return resolve(scene.story,
                 {&scene, &session_, axes, device_at(scene, axes), lent_, &standings_});
}

}  // namespace warpscope
