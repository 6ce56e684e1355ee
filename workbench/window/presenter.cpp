// workbench/window/presenter.cpp: the list of lessons, and the one that plays in a window.
#include "workbench/window/presenter.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "workbench/drawing/focus.h"
#include "workbench/drawing/keys.h"

namespace warpscope {
namespace {

// "this device", "this session", "h200-csrmm.wsj.gz".
std::string plays_on(const Workspace& workspace, const std::string& scene) {
  if (!workspace.view().recorded()) return "this device";
  const auto recording = recording_for(workspace, scene);
  return recording ? recording->filename().string() : "the session at hand";
}

std::string hint_of(const Workspace& workspace, const LessonOutline& row) {
  const std::string where =
      !workspace.view().recorded()
          ? "Each step first measures the figures that it quotes, on this machine's GPU."
      : recording_for(workspace, row.scene)
          ? "Opens the recording that ships; leaving brings back the session at hand."
          : "Quotes the figures of the session at hand.";
  return row.title + "\n" + row.path.filename().string() + "\n" + where;
}

void start(const LessonOutline& row, FrameState& state) {
  state.lesson_wish = row.path;
  state.lessons.open = false;
}

void draw_row(const Workspace& workspace, const Style& style, FrameState& state, int index) {
  const LessonOutline& row = state.lessons.rows[static_cast<std::size_t>(index)];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool chosen = index == state.lessons.chosen;
  ImGui::PushID(index);
  if (!row.broken.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
    ImGui::TextWrapped("%s", row.broken.c_str());
    ImGui::PopStyleColor();
    return ImGui::PopID();
  }
  const std::string number =
      row.place.number > 0 ? std::to_string(row.place.number) + ".  " : std::string();
  const bool clicked = ImGui::Selectable(
      (fitting(number + row.title, ImGui::GetContentRegionAvail().x) + "###title").c_str(), chosen,
      ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_NoAutoClosePopups);
  // Arrows move the keyboard's focus from row to row, Enter presses the one that has it.
  if (chosen) ImGui::SetItemDefaultFocus();
  if (ImGui::IsItemFocused()) state.lessons.chosen = index;
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint_of(workspace, row).c_str());
  // Opened by a click the list has no focus to press: Enter is the chosen row's all the same.
  if (clicked || (chosen && !focus_is_shown() && key_pressed(ImGuiKey_Enter))) start(row, state);
  const auto cell = [](const std::string& text) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(text.c_str());
  };
  cell(row.scene);
  cell(std::to_string(row.steps));
  cell(row.questions > 0 ? std::to_string(row.questions) : "");
  cell(std::to_string(row.minutes));
  cell(plays_on(workspace, row.scene));
  ImGui::PopID();
}

// The name of a level, before its first lesson.
void draw_level(const Style& style, const LessonList& list, int index) {
  const std::string& level = list.rows[static_cast<std::size_t>(index)].place.level;
  if (level.empty() ||
      (index > 0 && list.rows[static_cast<std::size_t>(index) - 1].place.level == level))
    return;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  ImGui::TextUnformatted(level.c_str());
  ImGui::PopStyleColor();
}

}  // namespace

std::optional<std::filesystem::path> recording_for(const Workspace& workspace,
                                                   const std::string& scene) {
  if (!workspace.view().recorded()) return std::nullopt;
  const auto points = workspace.session().all_points();
  if (std::any_of(points.begin(), points.end(),
                  [&](const Measurement* point) { return point->scene == scene; }))
    return std::nullopt;
  return recorded_session_of(scene);
}

void Presenter::start(const Lesson& lesson, Workspace& workspace, FrameState& state) {
  if (!before_) {
    before_ = {workspace.selection, {},
               state.left_tab,      state.centre_tab,
               state.right_tab,     state.bottom_tab,
               state.stacked_tab,   state.docks.present};
    if (workspace.view().recorded()) before_->sessions = workspace.view().opened.opened();
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
  state.strip.notes.begun = std::chrono::steady_clock::now();
}

void Presenter::leave(Workspace& workspace, FrameState& state) {
  player_.reset();
  lesson_.reset();
  state.lesson_title.clear();
  state.lesson_text.clear();
  state.lesson_words.clear();
  state.strip.question = {};
  state.strip.notes.step.clear();
  state.lesson_step = state.lesson_steps = 0;
  state.lesson_offers = false;
  state.spotlight = {};
  if (std::exchange(state.lesson_path, false)) state.path_wish = false;
  state.strip.columns_wish.emplace();
  if (!before_) return;
  Before before = *std::exchange(before_, std::nullopt);
  if (workspace.view().recorded() && !before.sessions.empty() &&
      before.sessions != workspace.view().opened.opened()) {
    if (Result<void> opened = workspace.open(before.sessions); !opened)
      workspace.log.notify(sentence(opened.error()));
  }
  if (Result<void> turned = workspace.choose_scene(before.selection.scene); !turned)
    workspace.log.notify(sentence(turned.error()));
  // What is asked for once stays asked for; the rest is as it was.
  Selection& now = workspace.selection;
  before.selection.notices = std::move(now.notices);
  before.selection.wish = std::move(now.wish);
  before.selection.moved = now.moved;
  before.selection.held = false;
  now = std::move(before.selection);
  state.left_tab = before.left_tab;
  state.centre_tab = before.centre_tab;
  state.right_tab = before.right_tab;
  state.bottom_tab = before.bottom_tab;
  state.stacked_tab = before.stacked_tab;
  // Panels that a step brought back are closed again.
  state.docks.next = std::move(before.arrangement);
  state.maximised.clear();
}

void Presenter::go_on(const std::string& to, Workspace& workspace, FrameState& state) {
  if (to == kOfferLessons) return toggle_lessons(workspace, state);
  if (to == kOfferOpen) return show_open_dialog(state, FileKind::kernel);
  if (to == kOfferCapture) return show_program_capture(state);
  if (const auto recording = recording_for(workspace, to)) {
    if (Result<void> opened = workspace.open(*recording); !opened)
      return toast(state, sentence(opened.error()));
  }
  workspace.selection.scene = to;
}

void Presenter::update(Workspace& workspace, FrameState& state) {
  if (const std::filesystem::path wish = std::exchange(state.lesson_wish, {}); !wish.empty()) {
    if (const Result<Lesson> lesson = read_lesson(wish, workspace.catalogue())) {
      start(*lesson, workspace, state);
    } else {
      toast(state, sentence(lesson.error()));
    }
  }
  std::string then = std::exchange(state.lesson_then, {});
  // Where a lesson offers scenes, one that is chosen at the top left is chosen as by its button.
  if (then.empty() && player_ && lesson_->offers && state.lesson_step == state.lesson_steps &&
      workspace.scene().name != lesson_->scene)
    then = workspace.scene().name;
  if (std::exchange(state.lesson_leave, false) || !then.empty()) leave(workspace, state);
  if (!then.empty()) go_on(then, workspace, state);
  if (player_) return player_->update(state);
  state.lesson_move = 0;  // there is nothing to step through
}

void toggle_lessons(const Workspace& workspace, FrameState& state) {
  LessonList& list = state.lessons;
  list.open = !list.open;
  if (!list.open) return;
  list.rows = shipped_lessons();
  const auto of_scene =
      std::find_if(list.rows.begin(), list.rows.end(),
                   [&](const LessonOutline& row) { return row.scene == workspace.scene().name; });
  list.chosen = of_scene == list.rows.end() ? 0 : static_cast<int>(of_scene - list.rows.begin());
}

void draw_lesson_list(const Workspace& workspace, const Style& style, FrameState& state) {
  constexpr const char* kName = "lessons";
  LessonList& list = state.lessons;
  if (list.open && !ImGui::IsPopupOpen(kName)) {
    // A click elsewhere, or the keyboard's own Esc, has closed it.
    if (list.shown) {
      list.open = list.shown = false;
      return;
    }
    ImGui::OpenPopup(kName);
  }
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(style.unit(108), 0.94f * display.x), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {style.unit(2), style.unit(1.5f)});
  list.shown = ImGui::BeginPopup(kName);
  ImGui::PopStyleVar();
  if (!list.shown) return;
  push_face(style.large);
  ImGui::TextUnformatted("Lessons");
  ImGui::PopFont();
  draw_note(style,
            "Enter or a click starts one · Page Down and Page Up step · Esc leaves, and brings "
            "back what the window shows now");
  if (ImGui::BeginTable("lessons", 6, ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX)) {
    ImGui::TableSetupColumn("title", ImGuiTableColumnFlags_WidthStretch);
    for (const char* name : {"scene", "steps", "questions", "minutes", "plays on"})
      ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed);
    reach_headers();
    ImGui::TableHeadersRow();
    for (int i = 0; i < static_cast<int>(list.rows.size()); ++i) {
      draw_level(style, list, i);
      draw_row(workspace, style, state, i);
    }
    ImGui::EndTable();
  }
  if (list.rows.empty()) draw_note(style, "There are no lessons in assets/lessons.");
  if (!list.open) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  list.shown = list.open;
}

}  // namespace warpscope
