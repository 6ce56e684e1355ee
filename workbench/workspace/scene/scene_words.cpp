// workbench/workspace/scene/scene_words.cpp: texts of scenes as they stand on the session at hand.
#include "workbench/workspace/scene/scene_words.h"

#include "profiling/claims/claim_text.h"

namespace warpscope {

SceneWords::SceneWords(const OpenedSession& opened, const ShownScene& scene,
                       const Selection& selection, const SelectedPoints& points)
    : opened_(opened), scene_(scene), selection_(selection), points_(points) {}

KnownFacts& SceneWords::facts() const {
  const std::uint64_t revision = opened_.session().revision();
  const std::size_t openings = opened_.openings();
  return facts_.of(std::tie(revision, openings), [] { return KnownFacts(); });
}

ClaimContext SceneWords::claims() const {
  return {&scene_.scene(), &opened_.session(),   selection_.axes, points_.device(),
          opened_.lent(),  &points_.standings(), &facts()};
}

const std::string& SceneWords::of(const std::string& text) const {
  // Asked for in every frame that shows it; a claim looks at points, roofs and samples.
  const std::uint64_t revision = opened_.session().revision();
  const std::size_t openings = opened_.openings();
  auto& texts =
      words_.of(std::tie(revision, openings, scene_.name(), points_.device(), selection_.axes),
                [] { return std::map<std::string, std::string>(); });
  const auto [found, added] = texts.try_emplace(text);
  if (added) found->second = resolve(text, claims());
  return found->second;
}

std::string SceneWords::of(const std::string& text, const Configuration& axes) const {
  const Scene& scene = scene_.scene();
  return resolve(text, {&scene, &opened_.session(), axes, points_.device_at(scene, axes),
                        opened_.lent(), &points_.standings()});
}

std::string SceneWords::story(const Scene& scene) const {
  if (scene.name == scene_.name()) return of(scene.story);
  const Configuration axes = default_configuration(scene.axes);
  return resolve(scene.story, {&scene, &opened_.session(), axes, points_.device_at(scene, axes),
                               opened_.lent(), &points_.standings()});
}

}  // namespace warpscope
