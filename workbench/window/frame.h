// workbench/window/frame.h: one frame of the whole window: top bar, columns with tabs, status,
// help.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workbench/docking/docking.h"
#include "workbench/drawing/box.h"
#include "workbench/drawing/focus.h"
#include "workbench/drawing/notices.h"
#include "workbench/lessons/lesson_outline.h"
#include "workbench/panels/panels.h"
#include "workbench/window/capture.h"
#include "workbench/window/course/question_view.h"
#include "workbench/window/course/speaker_notes.h"
#include "workbench/window/open_dialog.h"
#include "workbench/window/palette/palette.h"
#include "workbench/workspace/selection/memo.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {

// The list of lessons while it is open.
struct LessonList {
  bool open = false;   // it is wanted …
  bool shown = false;  // … and was drawn in the last frame
  std::vector<LessonOutline> rows;
  int chosen = 0;
};

// The question in the strip at the bottom, what the strip was laid out for, and how high it is
// then.
struct LessonStrip {
  // Columns of Source that the step at hand opens: set once. Empty: those from before the lesson.
  std::optional<std::vector<SourceColumn>> columns_wish;
  std::vector<SourceColumn> columns_before;  // empty: no lesson changed them
  std::vector<QuestionWords> questions;      // of all steps …
  ShownQuestion question;                    // … and of the one at hand
  SpeakerNotes notes;
  struct Laid {
    std::vector<std::string> words;
    std::vector<QuestionWords> questions;
    float width = 0, size = 0;
    bool operator==(const Laid&) const = default;
  };
  Memo<Laid, float> lines_height;
  float height = 0;  // the last of them …
  float size = 0;    // … and that of one line
  struct Step {
    std::string title;
    int step = 0;
    bool operator==(const Step&) const = default;
  };
  LastKey<Step> shown;        // the text whose beginning is in sight
  LastKey<std::string> said;  // what was said to the last answer
  Box box;                    // where it stood in the last frame …
  float overflow = 0;         // … and how many pixels of its words had no room
};

// The list of keys, and the box that finds all that can be done.
struct HelpList {
  bool open = false;
  std::string filter;  // rows that have it are shown
  CommandPalette palette;
};

// What the window keeps between frames; some of it between runs (remembered.h).
struct FrameState {
  Docking docks;
  // The tabs in front of the places that layouts share; those of others are in the arrangement.
  std::string centre_tab = "overview", right_tab = "coalescing", bottom_tab = "metrics";
  // The front tabs of a small window, whose places are folded into a left column and the rest.
  std::string left_tab = "axes", stacked_tab = "overview";
  std::string wanted_tab;              // to be brought to the front in this frame …
  std::vector<std::string> more_tabs;  // … and these
  std::string maximised;               // the panel that has the place of all; empty: none
  Theme theme = Theme::dark;
  float user_scale = 1.0f;
  HelpList help;
  bool attended = false;              // a person is there to answer questions
  std::optional<FrameBudget> budget;  // of this frame; no value: it is drawn whole
  bool quit = false;
  std::string screenshot;  // "window": its pixels are to be written after this frame
  CaptureDialog capture;
  std::optional<SlideOptions> slide_wish;  // a picture to be drawn after this frame
  std::string lesson_title, lesson_text;   // drawn in the strip while lesson_steps > 0
  int lesson_step = 0, lesson_steps = 0;
  OpenDialog open;             // the dialog that opens files
  int lesson_move = 0;         // the person asked for the next (1) or the last (-1) step …
  bool lesson_leave = false;   // … or to leave
  bool lesson_offers = false;  // the last step offers where to go on …
  std::string lesson_scene, lesson_then;  // its own scene; what was chosen (presenter.h)
  std::filesystem::path lesson_wish;      // a lesson's file that is to be played
  std::vector<std::string> lesson_words;  // of all steps, about as long as they are drawn
  bool lesson_path = false;               // the step at hand wants the journal's path drawn …
  std::optional<bool> path_wish;          // … or none any more: set once
  LessonList lessons;
  LessonStrip strip;
  Spotlight spotlight;
  bool style_changed = false;
  Focus focus;
  Notices notices;
  std::map<std::string, Box> boxes;       // of panels drawn in this frame
  std::map<std::string, Box> last_boxes;  // … and in the one before
};

// Words above the status line for some seconds.
void toast(FrameState& state, std::string words);
// Asks the person where a file is to be written. Where there is nobody it gets a free name in the
// folder in which Warpscope was started. Says what was written, or why not.
void export_to(FrameState& state, const char* path, const std::string& text);

// What a person is doing, as the help's headings say it.
enum class Task { panels, scenes, measuring, diagrams, plots, files, lessons, window };
inline constexpr int kTasks = static_cast<int>(Task::window) + 1;
const char* to_text(Task task);

// Everything that a mouse can do, with its key: drives keys and the help.
struct Command {
  Task task;
  const char* name;
  const char* keys;  // as shown in the help
  const char* sentence;
  bool (*pressed)();  // whether its keys went down in this frame
  void (*act)(Workspace&, PanelStates&, FrameState&);
};
std::span<const Command> all_commands();

// What Esc closes: of those that are open the first one; where none is it cancels what is measured.
// Popups and text boxes come before them: ImGui closes those.
struct Closable {
  const char* name;
  bool (*open)(const FrameState&);
  void (*close)(FrameState&);
};
std::span<const Closable> all_closables();

// The list of keys by task, where it is open.
void draw_help(const Style& style, FrameState& state);

void draw_workbench(Workspace& workspace, PanelStates& panels, const Style& style,
                    FrameState& state);

}  // namespace warpscope
