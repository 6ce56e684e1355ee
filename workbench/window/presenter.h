// workbench/window/presenter.h: the list of lessons, and the one that plays in a window.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workbench/lessons/lesson.h"
#include "workbench/window/frame.h"
#include "workbench/window/lesson_player.h"

//   Presenter presenter;
//   presenter.update(workspace, state);   // once a frame, before it is drawn
//   draw_workbench(workspace, panels, style, state);
//
// `state.lesson_wish` starts the lesson of a file, `state.lesson_leave` ends it, and
// `state.lesson_then` ends it and goes on.

namespace warpscope {

// What `state.lesson_then` says beside names of scenes: the list of lessons, a kernel's folder, and
// a running program.
inline constexpr const char* kOfferLessons = "lessons";
inline constexpr const char* kOfferOpen = "open";
inline constexpr const char* kOfferCapture = "capture";

class Presenter {
 public:
  void update(Workspace& workspace, FrameState& state);
  // Plays a lesson, in place of the one that plays. A recorded session that has nothing of its
  // scene gives way to the recording that ships.
  void start(const Lesson& lesson, Workspace& workspace, FrameState& state);
  bool plays() const { return player_ != nullptr; }

 private:
  // What a lesson changes, as it was before.
  struct Before {
    Selection selection;
    std::vector<std::filesystem::path> sessions;  // that were open; empty: none, or a device
    std::string left_tab, centre_tab, right_tab, bottom_tab, stacked_tab;
    Arrangement arrangement;
  };
  void leave(Workspace& workspace, FrameState& state);
  // Where the person goes on from the last step, `state.lesson_then`.
  void go_on(const std::string& to, Workspace& workspace, FrameState& state);

  std::optional<Before> before_;
  std::unique_ptr<Lesson> lesson_;
  std::unique_ptr<LessonPlayer> player_;
};

// The shipped recording of the lesson's scene, if the session at hand has no points of it and no
// device measures. No value: the lesson plays on the session at hand.
std::optional<std::filesystem::path> recording_for(const Workspace& workspace,
                                                   const std::string& scene);

// Opens the list with the lessons as their files stand now, in the order of the course, the first
// of the scene at hand chosen; or closes it.
void toggle_lessons(const Workspace& workspace, FrameState& state);
// The list, where it is open. A click or Enter puts the file into `state.lesson_wish`; Esc, or a
// click elsewhere, closes it.
void draw_lesson_list(const Workspace& workspace, const Style& style, FrameState& state);

}  // namespace warpscope
