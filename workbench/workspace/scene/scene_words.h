// workbench/workspace/scene/scene_words.h: texts of scenes as they stand on the session at hand.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "profiling/claims/claim.h"
#include "workbench/workspace/session/selected_points.h"

namespace warpscope {

// Decides the claims of texts and fills in their figures (profiling/claims/claim_text.h).
class SceneWords {
 public:
  SceneWords(const OpenedSession& opened, const ShownScene& scene, const Selection& selection,
             const SelectedPoints& points);

  // What texts are checked against: the session and the selected configuration, exactly.
  ClaimContext claims() const;
  // A text of the scene at the selection, or (a preset) at other axes.
  const std::string& of(const std::string& text) const;
  std::string of(const std::string& text, const Configuration& axes) const;
  std::string story(const Scene& scene) const;  // of any scene

 private:
  KnownFacts& facts() const;

  const OpenedSession& opened_;
  const ShownScene& scene_;
  const Selection& selection_;
  const SelectedPoints& points_;
  // By revision, openings, scene, device and axes: the answers, by text.
  mutable Memo<std::tuple<std::uint64_t, std::size_t, std::string, std::string, Configuration>,
               std::map<std::string, std::string>>
      words_;
  mutable Memo<std::tuple<std::uint64_t, std::size_t>, KnownFacts> facts_;  // by the same two
};

}  // namespace warpscope
