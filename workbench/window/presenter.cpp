// workbench/window/presenter.cpp: the lesson that plays in a window: started, stepped, left.
#include "workbench/window/presenter.h"

#include <algorithm>
#include <utility>

namespace warpscope {

std::optional<std::filesystem::path> recording_for(const Workspace& workspace,
                                                   const std::string& scene) {
  if (!workspace.recorded()) return std::nullopt;
  const auto points = workspace.session().all_points();
  if (std::any_of(points.begin(), points.end(),
                  [&](const Measurement* point) { return point->scene == scene; }))
    return std::nullopt;
  return recorded_session_of(scene);
}

void Presenter::start(const Lesson& lesson, Workspace& workspace, FrameState& state) {
  if (!before_) {
    before_ = {workspace.selection, {}, {state.centre_tab, state.right_tab, state.bottom_tab}};
    if (workspace.recorded()) before_->sessions = workspace.opened();
  }
  if (const auto recording = recording_for(workspace, lesson.scene)) {
    if (Result<void> opened = workspace.open(*recording); !opened)
      return toast(state, sentence(opened.error()));
  }
  player_.reset();
  lesson_ = std::make_unique<Lesson>(lesson);
  player_ = std::make_unique<LessonPlayer>(*lesson_, workspace);
  state.lesson_move = 0;
  state.lesson_words.clear();
}

void Presenter::leave(Workspace& workspace, FrameState& state) {
  player_.reset();
  lesson_.reset();
  state.lesson_title.clear();
  state.lesson_text.clear();
  state.lesson_words.clear();
  state.lesson_step = state.lesson_steps = 0;
  state.spotlight = {};
  if (!before_) return;
  Before before = *std::exchange(before_, std::nullopt);
  if (workspace.recorded() && !before.sessions.empty() && before.sessions != workspace.opened()) {
    if (Result<void> opened = workspace.open(before.sessions); !opened)
      workspace.notify(sentence(opened.error()));
  }
  if (Result<void> turned = workspace.choose_scene(before.selection.scene); !turned)
    workspace.notify(sentence(turned.error()));
  // What is asked for once stays asked for; the rest is as it was.
  Selection& now = workspace.selection;
  before.selection.requests = std::move(now.requests);
  before.selection.notices = std::move(now.notices);
  before.selection.wish = std::move(now.wish);
  before.selection.moved = now.moved;
  before.selection.held = false;
  now = std::move(before.selection);
  state.more_tabs = std::move(before.tabs);
  state.maximised.clear();
}

void Presenter::update(Workspace& workspace, FrameState& state) {
  if (const std::filesystem::path wish = std::exchange(state.lesson_wish, {}); !wish.empty()) {
    if (const Result<Lesson> lesson = read_lesson(wish)) {
      start(*lesson, workspace, state);
    } else {
      toast(state, sentence(lesson.error()));
    }
  }
  if (std::exchange(state.lesson_leave, false)) leave(workspace, state);
  if (player_) return player_->update(state);
  state.lesson_move = 0;  // there is nothing to step through
}

}  // namespace warpscope
