// workbench/workspace/scene/scene_folder.h: a scene's folder while it is edited: mistakes and
// verdicts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "profiling/points/measurement.h"
#include "workbench/workspace/session/shown_scene.h"

namespace warpscope {

// What keeps a folder's last good state in place of what was saved: in its description, or (line 0)
// in what the compiler says of a kernel.
struct Mistake {
  std::string file;  // "scene.toml", or as sources have it: "mine/warp_row.cu"
  int line = 0;
  std::string sentence;
};

// The emulator judges each save. Its verdict is not a point of the session: it says nothing about a
// device. It counts while the folder's description is the one that was judged.
class SceneFolder {
 public:
  explicit SceneFolder(const ShownScene& scene) : scene_(scene) {}

  const std::optional<Mistake>& mistake() const { return mistake_; }  // empty: all is well
  void say_mistake(std::optional<Mistake> mistake) { mistake_ = std::move(mistake); }
  // What the emulator said last of a variant of this scene's folder as it stands; null: nothing.
  const Measurement* judged(const std::string& variant) const;
  // Saves `text` as this file of the folder. error: usage (it is not a folder), environment.
  Result<void> edit(const std::string& file, const std::string& text) const;

  void await_verdict(std::int64_t job);            // of a job that judges the folder as it stands
  bool keep_verdict(const Measurement& measured);  // false: it is not the verdict of a save
  void forget_job(std::int64_t job) { texts_of_jobs_.erase(job); }

 private:
  struct Judged {
    std::string scene_text;
    Measurement point;
  };
  const ShownScene& scene_;
  std::optional<Mistake> mistake_;
  std::map<std::int64_t, std::string> texts_of_jobs_;             // SceneText::hash
  std::map<std::pair<std::string, std::string>, Judged> judged_;  // by scene and variant
};

}  // namespace warpscope
