// workbench/commands/views.cpp: the window, render and play.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "profiling/export/export.h"
#include "profiling/figures/csv_text.h"
#include "profiling/figures/inert_text.h"
#include "profiling/grading/exercise.h"
#include "scenes/base/plural.h"
#include "scenes/catalogue.h"
#include "scenes/file_scene.h"
#include "scenes/host/nearest.h"
#include "scenes/host/paths.h"
#include "scenes/host/write_file.h"
#include "scenes/read_folder.h"
#include "workbench/client/end_signals.h"
#include "workbench/client/own_binary.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/lessons/handout.h"
#include "workbench/lessons/lesson_outline.h"
#include "workbench/lessons/window_pace.h"
#include "workbench/window/files/exercise.h"
#include "workbench/window/frame.h"
#include "workbench/window/lesson_player.h"
#include "workbench/window/offscreen.h"
#include "workbench/window/remembered.h"
#include "workbench/window/render.h"
#include "workbench/window/slide.h"
#include "workbench/window/window.h"

namespace warpscope {
namespace {

// "1600x900". error: usage.
Result<std::pair<int, int>> size_argument(const std::string& text) {
  constexpr int kMostSide = 16384, kMostPixels = 1 << 25;  // 8K: a picture takes 16 bytes per pixel
  int width = 0, height = 0;
  const char* const end = text.data() + text.size();
  const auto [middle, wide] = std::from_chars(text.data(), end, width);
  const bool divided = wide == std::errc() && middle != end && *middle == 'x';
  const auto [last, high] = std::from_chars(divided ? middle + 1 : end, end, height);
  if (!divided || high != std::errc() || last != end || width < 320 || height < 240 ||
      width > kMostSide || height > kMostSide || width > kMostPixels / height) {
    return failure(ErrorKind::usage, "“" + text + "” is not a size", "--size",
                   "write, for example, 1600x900; at least 320x240, at most 33 million pixels");
  }
  return std::pair(width, height);
}

struct ViewOptions {
  EngineChoice engine;
  std::string session, record, size = "1600x900", theme = "dark", tell, folder;
  bool sized = false, themed = false, scaled = false;  // the command line names it
  std::string panel = "window", out, scene, variant, baseline, lesson, latency, handout;
  std::string layout, devices;
  std::vector<std::string> axes, pins, fronts, sweep;
  double scale = 1;
  int margin = 16;
  bool offscreen = false;
};

// A workspace with an engine where a device answers, else the named or newest recorded session.
// error: of the session; environment, where a host or a device was named and does not answer, or an
// engine was named and does not start.
Result<std::unique_ptr<Workspace>> make_workspace(const ViewOptions& options,
                                                  const std::shared_ptr<Catalogue>& catalogue,
                                                  const std::string& scene = {}) {
  say_where_there_is_no_cache();
  auto workspace = std::make_unique<Workspace>(
      options.session.empty() ? engine_command(options.engine) : std::vector<std::string>{},
      emulator_command(options.engine), catalogue);
  workspace->follow(options.engine);
  const auto recorded = recorded_sessions();
  const auto open_recorded = [&]() -> Result<void> {
    if (!options.session.empty()) {
      const std::string& device = options.engine.device_uuid;
      return workspace->open(options.session).and_then([&] {
        return device.empty() ? Result<void>{} : workspace->choose_device(device);
      });
    }
    if (const auto of_scene = recorded_session_of(scene)) return workspace->open(*of_scene);
    return recorded.empty() ? Result<void>{} : workspace->open(recorded.back());
  };
  if (!options.session.empty()) {
    if (Result<void> opened = open_recorded(); !opened) return tl::unexpected(opened.error());
    return workspace;
  }
  // Whatever runs has its kernels there.
  if (const auto home = home_folder(); !home) return tl::unexpected(home.error());
  const bool device_named = !options.engine.host.empty() || !options.engine.device_uuid.empty();
  DelayReport report;
  while (!workspace->view().engines.engine_ready() && !workspace->view().engines.trouble()) {
    workspace->wait(0.05);
    workspace->update();
    report.look(workspace->view().engines.delay());
  }
  // Not the recorded session in its place: there is a device, and a person waits for it.
  if (workspace->view().engines.refused())
    return tl::unexpected(*workspace->view().engines.trouble());
  const std::optional<Error> trouble = workspace->view().engines.trouble();
  if (trouble && (device_named || !options.engine.path.empty())) return tl::unexpected(*trouble);
  if (device_named && !workspace->view().has_device()) {
    const Hello* hello = workspace->session().engine();
    const Capability* cuda = hello != nullptr ? find_capability(*hello, "cuda") : nullptr;
    return failure(ErrorKind::environment,
                   cuda != nullptr ? cuda->reason : "the engine did not say hello", "engine",
                   cuda != nullptr ? cuda->remedy : "see `warpscope doctor`");
  }
  if (workspace->view().has_device() || recorded.empty()) return workspace;
  // No GPU: the engine's hello (why not) stays visible in the log of a recorded session.
  if (Result<void> opened = open_recorded(); !opened) return tl::unexpected(opened.error());
  return workspace;
}

// The scene of a file or a folder that stands where a command could.
Result<const Scene*> scene_to_show(Catalogue& catalogue, const std::string& path) {
  if (is_scene_folder(path)) return catalogue.open_folder(path);
  if (opens_as_scene(path)) return catalogue.open_file(path);
  if (has_scene_ending(path))
    return failure(ErrorKind::input, "there is no such file", path, "check the path");
  std::vector<std::string> commands;
  for (const CommandRow& row : all_command_rows()) commands.emplace_back(row.name);
  const std::string nearest = nearest_name(path, commands);
  return failure(ErrorKind::usage,
                 "it is neither a command nor a session (.wsj) nor a kernel's file (.cu, .cuh, "
                 ".ptx) nor a folder with a scene.toml",
                 path,
                 (nearest.empty() ? "see" : "did you mean " + nearest + "? See") +
                     std::string(" `warpscope --help`"));
}

int run_render(const ViewOptions& options) {
  const auto size = size_argument(options.size);
  if (!size) return fail(size.error());
  const auto axes = axis_arguments(options.axes);
  if (!axes) return fail(axes.error());
  const auto catalogue = program_catalogue();
  std::string scene = options.scene;
  if (!scene.empty() && !catalogue->find(scene) &&
      (is_scene_folder(scene) || opens_as_scene(scene))) {
    const Result<const Scene*> opened = scene_to_show(*catalogue, scene);
    if (!opened) return fail(opened.error());
    scene = (*opened)->name;
  }
  RenderOptions render_options{options.session,
                               {},
                               options.engine.device_uuid,
                               options.panel,
                               options.out,
                               scene,
                               options.variant,
                               options.baseline,
                               options.pins,
                               options.layout,
                               options.fronts,
                               *axes,
                               options.sweep,
                               options.devices,
                               size->first,
                               size->second,
                               options.margin,
                               options.scale,
                               options.theme == "light" ? Theme::light : Theme::dark,
                               catalogue};
  const Result<void> drawn = render(render_options);
  return drawn ? 0 : fail(drawn.error());
}

Result<void> write_latencies(const LessonPlayer& player, const std::string& path) {
  std::vector<double> ms;
  std::size_t timed = 0;
  std::string csv = csv_row({"step", "key", "latency_ms", "outcome"});
  for (std::size_t i = 0; i < player.latencies().size(); ++i) {
    const LessonPlayer::Latency& l = player.latencies()[i];
    ms.push_back(l.ms);
    timed += l.outcome == "correct" ? 1 : 0;
    csv += csv_row({std::to_string(i + 1), l.key, std::to_string(l.ms), l.outcome});
  }
  std::printf(
      "from slider move to new timed point, %zu moves, %zu with a time: p50 %.1f ms, p95 %.1f ms, "
      "max %.1f ms\n",
      ms.size(), timed, quantile(ms, 0.5), quantile(ms, 0.95), quantile(ms, 1));
  if (player.counters_ms()) {
    std::printf("from slider at rest to the selected variant's counters: %.0f ms\n",
                *player.counters_ms());
  }
  return write_file(path, csv);
}

// The workbench as pictures in a folder, without a window.
struct Pictures {
  std::unique_ptr<Offscreen> screen;
  FrameState state;
  PanelStates panels;
  Style style;

  // error: of the size, of the folder, or of drawing.
  static Result<std::unique_ptr<Pictures>> begin(const ViewOptions& options) {
    const auto size = size_argument(options.size);
    if (!size) return tl::unexpected(size.error());
    if (Result<void> made = make_folder(options.out); !made) return tl::unexpected(made.error());
    Result<std::unique_ptr<Offscreen>> screen = Offscreen::create(size->first, size->second);
    if (!screen) return tl::unexpected(screen.error());
    auto pictures = std::make_unique<Pictures>();
    pictures->screen = std::move(*screen);
    pictures->state.theme = options.theme == "light" ? Theme::light : Theme::dark;
    pictures->style = make_style(pictures->state.theme, static_cast<float>(options.scale));
    load_fonts(pictures->style);
    apply_style(pictures->style);
    return pictures;
  }
  void draw(Workspace& workspace, double seconds) {
    screen->frame(
        seconds, [&] { draw_workbench(workspace, panels, style, state); }, drop_cut_letters);
  }
};

// Frames in which the answer to the step's question is shown.
void draw_told(Pictures& pictures, LessonPlayer& player, Workspace& workspace) {
  constexpr int kFrames = 4;
  constexpr double kFrameS = 1.0 / 60;
  for (int i = 0; i < kFrames; ++i) {
    workspace.update();
    player.update(pictures.state);
    pictures.draw(workspace, kFrameS);
  }
}

// Draws frames until the step is settled. error: cancelled by a signal.
Result<void> settle_step(Pictures& pictures, LessonPlayer& player, Workspace& workspace,
                         WindowPace& pace, const EndSignals& signals) {
  constexpr int kSettledFrames = 4;
  for (int settled_frames = 0; settled_frames < kSettledFrames;) {
    if (signals.count() != 0)
      return failure(ErrorKind::resource, "cancelled: the steps before are kept", signals.name());
    workspace.update();
    player.update(pictures.state);
    workspace.update();  // a move goes to the engine before its frame is drawn
    const bool settled = player.settled();
    if (const auto seconds = pace.due(workspace, settled)) {
      pictures.draw(workspace, *seconds);
      settled_frames = settled ? settled_frames + 1 : 0;
    }
    workspace.wait(0.002);
  }
  return {};
}

// Plays all steps; writes their pictures, and the answers' where questions are asked. A handout has
// a picture of every step, and none with an answer. One that is stopped has the steps before.
Result<Handout> play_steps(const Lesson& lesson, Workspace& workspace, const ViewOptions& options,
                           LessonPlayer& player) {
  const Result<std::unique_ptr<Pictures>> begun = Pictures::begin(options);
  if (!begun) return tl::unexpected(begun.error());
  Pictures& pictures = **begun;
  const std::filesystem::path folder(options.out);
  const bool on_paper = !options.handout.empty();
  Handout handout{
      lesson.title, workspace.view().recorded() ? "" : workspace.view().device(), folder, {}};
  const EndSignals signals;
  WindowPace pace;
  const auto save = [&](const std::string& name) {
    return pictures.screen->save_png((folder / name).string());
  };
  StepReport report(lesson.steps.size());
  do {
    report.begin(handout.steps.size());
    if (Result<void> good = settle_step(pictures, player, workspace, pace, signals); !good) {
      if (handout.steps.empty()) return tl::unexpected(good.error());
      handout.stopped = good.error();
      break;
    }
    HandoutStep step{pictures.state.lesson_text, player.step().capture, "", {}, ""};
    if (on_paper && step.picture.empty())
      step.picture = "step-" + std::to_string(player.at() + 1) + ".png";
    if (!step.picture.empty()) {
      if (Result<void> saved = save(step.picture); !saved) return tl::unexpected(saved.error());
    }
    if (player.tell(pictures.state)) {
      step.ask = pictures.state.strip.question.words.ask;
      step.choices = pictures.state.strip.question.words.choices;
      draw_told(pictures, player, workspace);
      step.answer = pictures.state.strip.question.said;
      const bool wanted = !on_paper && !step.picture.empty();
      if (const Result<void> saved = wanted ? save(answer_file(step.picture)) : Result<void>{};
          !saved)
        return tl::unexpected(saved.error());
    }
    handout.steps.push_back(std::move(step));
  } while (player.next());
  return handout;
}

// The texts of the steps as one page, beside the pictures.
std::string index_of(const Handout& handout) {
  std::string index = "# " + markdown_text(handout.title) + "\n\n";
  for (std::size_t i = 0; i < handout.steps.size(); ++i) {
    const HandoutStep& step = handout.steps[i];
    const std::string number = std::to_string(i + 1);
    index += number + ". " + markdown_text(step.text) + "\n\n";
    if (!step.picture.empty()) index += "   ![step " + number + "](" + step.picture + ")\n\n";
    if (step.ask.empty()) continue;
    index += "   " + markdown_text(step.ask) + "\n\n   " + markdown_text(step.answer) + "\n\n";
  }
  return index;
}

int play_offscreen(const Lesson& lesson, Workspace& workspace, const ViewOptions& options) {
  LessonPlayer player(lesson, workspace);
  const Result<Handout> played = play_steps(lesson, workspace, options, player);
  if (!played) return fail(played.error());
  const std::filesystem::path folder(options.out);
  for (const Result<void>& written :
       {write_file(folder / "index.md", index_of(*played)),
        write_file(folder / "metrics.csv", tidy_csv(workspace.session())),
        options.latency.empty() ? Result<void>{} : write_latencies(player, options.latency)}) {
    if (!written) return fail(written.error());
  }
  if (played->stopped) return fail(*played->stopped);
  std::printf("played %s; pictures, metrics.csv and index.md are in %s\n",
              plural(std::ssize(lesson.steps), "step").c_str(), options.out.c_str());
  return 0;
}

int write_handout_of(const Lesson& lesson, Workspace& workspace, ViewOptions options) {
  const std::filesystem::path file(options.handout);
  options.out = pictures_of(file).string();
  LessonPlayer player(lesson, workspace);
  Result<Handout> played = play_steps(lesson, workspace, options, player);
  if (!played) return fail(played.error());
  if (workspace.view().recorded())
    played->source = "Figures of " + workspace.view().opened.recorded_name() + ".";
  const Result<void> written =
      played->stopped ? failure(ErrorKind::resource, "cancelled: no handout was written")
                      : write_handout(*played, file);
  std::error_code ignored;
  if (file.extension() != ".md") std::filesystem::remove_all(options.out, ignored);
  if (!written) return fail(written.error());
  std::printf("the handout is %s\n", file.c_str());
  return 0;
}

WindowOptions window_options(const ViewOptions& options, std::pair<int, int> size) {
  WindowOptions window;
  window.width = size.first;
  window.height = size.second;
  window.sized = options.sized;
  if (options.themed) window.theme = options.theme == "light" ? Theme::light : Theme::dark;
  if (options.scaled) window.scale = static_cast<float>(options.scale);
  return window;
}

int run_play(const ViewOptions& options) {
  if (const auto home = home_folder(); !home) return fail(home.error());
  const Result<std::filesystem::path> path = lesson_file(options.lesson);
  if (!path) return fail(path.error());
  const Result<void> paper =
      options.handout.empty() ? Result<void>{} : check_handout(options.handout);
  if (!paper) return fail(paper.error());
  const auto catalogue = program_catalogue();
  const Result<Lesson> lesson = read_lesson(*path, catalogue);
  if (!lesson) return fail(lesson.error());
  Result<std::unique_ptr<Workspace>> workspace = make_workspace(options, catalogue, lesson->scene);
  if (!workspace) return fail(workspace.error());
  if (!options.record.empty()) {
    if (Result<void> recording = (*workspace)->record(options.record); !recording)
      return fail(recording.error());
  }
  if (!options.latency.empty() && (*workspace)->view().recorded()) {
    return fail({ErrorKind::environment, "there is no GPU to measure a latency on",
                 "play --latency", "run it on a machine with one"});
  }
  if (!options.handout.empty()) return write_handout_of(*lesson, **workspace, options);
  if (options.offscreen) return play_offscreen(*lesson, **workspace, options);
  const auto size = size_argument(options.size);
  if (!size) return fail(size.error());
  WindowOptions window = window_options(options, *size);
  window.lesson = &*lesson;
  window.recalls = false;
  const Result<void> ran = run_window(**workspace, window);
  return ran ? 0 : fail(ran.error());
}

constexpr const char* kTourScene = "patterns";

// A first start that is asked for nothing plays the tour.
std::filesystem::path tour_of(const ViewOptions& options) {
  return options.session.empty() && options.folder.empty() && is_first_start() ? tour_lesson() : "";
}

// Without a device: the tour's recording, what was opened last, or that of the scene shown last.
std::optional<std::filesystem::path> session_to_show(const ViewOptions& options) {
  if (!tour_of(options).empty()) return recorded_session_of(kTourScene);
  FrameState ignored;
  Remembered last;
  static_cast<void>(load_layout(ignored, last));  // the window says what is wrong with it
  std::error_code gone;
  if (!last.session.empty() && std::filesystem::is_regular_file(last.session, gone))
    return last.session;
  if (const auto of_scene = recorded_session_of(last.scene)) return of_scene;
  const auto recorded = recorded_sessions();
  return recorded.empty() ? std::nullopt : std::optional(recorded.back());
}

// The window opens at once: whether there is a device is known seconds later, and then a recorded
// session takes its place. A host or a device that was named is waited for, and must answer. error:
// also environment, where the engine that was named is not a program.
Result<std::unique_ptr<Workspace>> make_window_workspace(
    const ViewOptions& options, const std::shared_ptr<Catalogue>& catalogue) {
  if (!options.session.empty() || !options.engine.host.empty() ||
      !options.engine.device_uuid.empty())
    return make_workspace(options, catalogue);
  const std::string& path = options.engine.path;
  const bool named = !path.empty();
  // A name without a folder is looked for on PATH.
  if (path.find('/') != std::string::npos && ::access(path.c_str(), X_OK) != 0) {
    return failure(ErrorKind::environment, std::strerror(errno), path,
                   "name the program warpscope-engine with --engine, or leave it out");
  }
  say_where_there_is_no_cache();
  auto workspace = std::make_unique<Workspace>(engine_command(options.engine),
                                               emulator_command(options.engine), catalogue);
  workspace->follow(options.engine);
  // A folder's scene has its diagrams without a device: no recording takes its place.
  const auto recorded = options.folder.empty() ? session_to_show(options) : std::nullopt;
  if (recorded) workspace->open_without_device(*recorded, named);
  return workspace;
}

int run_main_window(const ViewOptions& options) {
  const auto size = size_argument(options.size);
  if (!size) return fail(size.error());
  // Lessons, recordings and kernels are files: without them most of the window is empty.
  if (const auto home = home_folder(); !home) return fail(home.error());
  std::string scene;
  const auto catalogue = program_catalogue();
  if (!options.folder.empty()) {
    const Result<const Scene*> opened = scene_to_show(*catalogue, options.folder);
    if (!opened) return fail(opened.error());
    scene = (*opened)->name;
  }
  std::optional<Teller> teller;
  if (!options.tell.empty()) {
    Result<Teller> opened = Teller::open(options.tell);
    if (!opened) return fail(opened.error());
    teller = std::move(*opened);
  }
  Result<std::unique_ptr<Workspace>> workspace = make_window_workspace(options, catalogue);
  if (!workspace) return fail(workspace.error());
  if (is_capture_file(options.folder)) (*workspace)->selection.live = false;
  if (!options.record.empty()) {
    if (Result<void> recording = (*workspace)->record(options.record); !recording)
      return fail(recording.error());
  }
  WindowOptions window = window_options(options, *size);
  window.scene = scene;
  window.tour = tour_of(options);
  // A person who leaves the tour stays in its scene, whether the tour or its recording is opened
  // first.
  if (!window.tour.empty()) window.scene = kTourScene;
  window.teller = teller ? &*teller : nullptr;
  const Result<void> ran = run_window(**workspace, window);
  return ran ? 0 : fail(ran.error());
}

bool is_exercise(const std::string& text) {
  const std::filesystem::path path(text);
  std::error_code ignored;
  return std::filesystem::exists(path / kExerciseFile, ignored);
}

// A picture of the window once the exercise is graded.
int draw_exercise(Workspace& workspace, const ViewOptions& options) {
  const Result<std::unique_ptr<Pictures>> begun = Pictures::begin(options);
  if (!begun) return fail(begun.error());
  Pictures& pictures = **begun;
  const EndSignals signals;
  constexpr double kFrameS = 0.05;
  for (int settled = 0; settled < 4;) {
    if (signals.count() != 0)
      return fail({ErrorKind::resource, "cancelled: no picture was drawn", signals.name(), ""});
    workspace.update();
    pictures.draw(workspace, kFrameS);
    const bool busy = workspace.view().progress().busy || is_grading(pictures.panels.exercise);
    settled = busy ? 0 : settled + 1;
    workspace.wait(kFrameS);
  }
  const std::string path = (std::filesystem::path(options.out) / "exercise.png").string();
  if (Result<void> saved = pictures.screen->save_png(path); !saved) return fail(saved.error());
  std::printf("the exercise as it is graded is in %s\n", path.c_str());
  return 0;
}

int run_exercise(ViewOptions options) {
  options.folder = options.lesson;
  if (!options.offscreen) return run_main_window(options);
  const auto catalogue = program_catalogue();
  const Result<const Scene*> scene = scene_to_show(*catalogue, options.folder);
  if (!scene) return fail(scene.error());
  Result<std::unique_ptr<Workspace>> workspace = make_window_workspace(options, catalogue);
  if (!workspace) return fail(workspace.error());
  if (Result<void> turned = (*workspace)->choose_scene((*scene)->name); !turned)
    return fail(turned.error());
  return draw_exercise(**workspace, options);
}

void declare_view(CLI::App& command, const std::shared_ptr<ViewOptions>& o) {
  const auto heard = [](bool& named) { return [&named](const std::string&) { named = true; }; };
  command.add_option("--size", o->size, "WIDTHxHEIGHT in pixels")->each(heard(o->sized));
  command.add_option("--theme", o->theme, "dark or light")
      ->check(CLI::IsMember({"dark", "light"}))
      ->each(heard(o->themed));
  CLI::Option* scale = command.add_option("--scale", o->scale, "size of everything");
  check_range(*scale, 0.5, 4);
  scale->each(heard(o->scaled));
}

}  // namespace

void declare_render(CLI::App& command, int& status) {
  auto o = std::make_shared<ViewOptions>();
  command.add_option("session", o->session,
                     "a .wsj or .wsj.gz file; the newest recorded one by default");
  command.add_option("--panel", o->panel,
                     "a panel's name, drawn alone and without its controls; or window");
  command.add_option("--out", o->out, "the picture to write: .svg, else PNG")->required();
  check_range(*command.add_option("--margin", o->margin, "pixels around a panel"), 0, 200);
  command.add_option("--scene", o->scene, "the scene to show; by default one of the session");
  command.add_option("--variant", o->variant, "the variant in focus");
  declare_device_uuid(command, o->engine.device_uuid);
  command.add_option("--baseline", o->baseline, "the variant to compare with");
  command.add_option("--pin", o->pins, "a variant to pin: the first becomes A, the second B")
      ->allow_extra_args(false);
  command.add_option("--axis", o->axes, "axis=value, any number of times");
  command.add_option("--sweep", o->sweep, "Sweep's axis; with a second one: a map of both")
      ->delimiter(',');
  command.add_option("--devices", o->devices, "Sweep: all devices, as lines or as a table")
      ->check(CLI::IsMember({"lines", "table"}));
  command.add_option("--layout", o->layout, "of the window: a shipped layout's name");
  command.add_option("--front", o->fronts, "a panel whose tab is in front, any number of times")
      ->allow_extra_args(false);
  declare_folders(command);
  declare_view(command, o);
  command.callback([o, &status] { status = run_render(*o); });
}

void declare_play(CLI::App& command, int& status) {
  auto o = std::make_shared<ViewOptions>();
  o->out = "out";
  command
      .add_option(
          "lesson", o->lesson,
          "a lesson that ships, by name (list --lessons), or a .json file; or an exercise's "
          "folder")
      ->required();
  command.add_option("--session", o->session, "play on this session instead of a GPU");
  command.add_option("--out", o->out, "folder for captures");
  command.add_flag("--offscreen", o->offscreen, "without a window");
  command.add_option("--handout", o->handout,
                     "write pictures, texts, questions and answers as .md, .html or .pdf; no "
                     "window");
  command.add_option("--record", o->record, "append everything measured to this .wsj file");
  command.add_option("--latency", o->latency,
                     "write the latency of every move of a dragged slider");
  declare_engine_options(command, o->engine);
  declare_view(command, o);
  command.callback(
      [o, &status] { status = is_exercise(o->lesson) ? run_exercise(*o) : run_play(*o); });
}

void declare_window(CLI::App& command, int& status) {
  auto o = std::make_shared<ViewOptions>();
  command.add_option("folder", o->folder,
                     "a recorded session, a scene's folder or scene.toml, or a file with kernels: "
                     ".cu, .ptx, .wcap or compiled");
  command.add_option("--session", o->session, "open this recorded session");
  command.add_option("--record", o->record, "append everything measured to this .wsj file");
  command.add_option(
      "--tell", o->tell,
      "write what the window shows to this file, as a JSON line whenever it changes");
  declare_engine_options(command, o->engine);
  declare_view(command, o);
  command.final_callback([o, &status, &command] {
    if (!command.get_subcommands().empty()) return;
    const bool recorded = o->folder.ends_with(".wsj") || o->folder.ends_with(".wsj.gz");
    if (recorded && o->session.empty()) o->session.swap(o->folder);
    status = run_main_window(*o);
  });
}

}  // namespace warpscope
