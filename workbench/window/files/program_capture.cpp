// workbench/window/files/program_capture.cpp: a running program's launches in a dialog, where a
// person captures one.
#include "workbench/window/files/program_capture.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "profiling/capture/beside_program.h"
#include "profiling/figures/metric.h"
#include "profiling/listings/kernel_name.h"
#include "scenes/host/program.h"
#include "workbench/client/captures/program_timeline.h"
#include "workbench/drawing/keys.h"
#include "workbench/panels/panels.h"
#include "workbench/window/frame.h"
#include "workbench/window/open_dialog.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

enum KernelColumn : std::uint8_t {
  kKernel,
  kLaunches,
  kTotal,
  kMean,
  kShare,
  kLongest,
  kRange,
  kKernelColumns
};
constexpr const char* kNames[kKernelColumns] = {"kernel", "launches", "total",     "mean",
                                                "share",  "longest",  "NVTX range"};
constexpr const char* kMeanings[kKernelColumns] = {
    "The kernel, without its parameters. The whole name is in the row's "
    "tooltip.",
    "How often it was launched so far, in all processes.",
    "The time of all launches but the first, which may load code. Between two events: some "
    "microseconds of latency are in it where the GPU was idle.",
    "The total by the number of timed launches.",
    "Its share of the time of all kernels.",
    "Its longest launch.",
    "The NVTX ranges in which the program launched it."};

constexpr double kNsPerMs = 1e6;

std::optional<double> ns_of(double ms) {
  return ms > 0 ? std::optional<double>(kNsPerMs * ms) : std::nullopt;
}

void take_in(ProgramCapture& capture) {
  const LiveCapture& live = *capture.live;
  if (live.revision() == capture.revision) return;
  capture.revision = live.revision();
  capture.rows.clear();
  capture.symbols.clear();
  capture.words.clear();
  const std::vector<SeenLaunches::Kernel> kernels = live.seen().kernels();
  double all_ms = 0;
  for (const SeenLaunches::Kernel& kernel : kernels) all_ms += kernel.time_ms;
  for (const SeenLaunches::Kernel& kernel : kernels) {
    std::string ranges, shapes;
    for (const std::string& range : kernel.ranges) ranges += (ranges.empty() ? "" : ", ") + range;
    constexpr std::size_t kMostShapes = 6;
    for (std::size_t i = 0; i < std::min(kernel.shapes.size(), kMostShapes); ++i)
      shapes +=
          "\n" + grouped(kernel.shapes[i].launches) + " × " + shape_text(kernel.shapes[i].launch);
    if (kernel.shapes.size() > kMostShapes) shapes += "\n…";
    const auto count = static_cast<double>(kernel.launches);
    capture.rows.push_back(
        {{words_cell(visible_name(kernel_name_of(kernel.symbol).name)),
          {grouped(kernel.launches), count, "1"},
          figure_cell(ns_of(kernel.time_ms), "ns"),
          figure_cell(ns_of(kernel.mean_ms()), "ns"),
          figure_cell(all_ms > 0 ? std::optional(kernel.time_ms / all_ms) : std::nullopt, "ratio"),
          figure_cell(ns_of(kernel.longest_ms), "ns"),
          words_cell(visible_name(ranges))},
         capture.rows.size()});
    capture.symbols.push_back(kernel.symbol);
    capture.words.push_back(visible_name(kernel.name) + "\n\nlaunches × grid × block" + shapes);
  }
  capture.timeline = program_timeline(live.seen());
  for (const std::size_t column : {kTotal, kMean, kLongest}) in_one_time_unit(capture.rows, column);
}

// What was captured is among the recent files, whether it is opened or not.
void remember_kept(ProgramCapture& capture, FrameState& state) {
  const std::vector<KeptCapture>& kept = capture.live->kept();
  if (capture.remembered >= kept.size()) return;
  Result<RecentFiles> recent = load_recent();
  if (!recent) recent = RecentFiles{};
  for (; capture.remembered < kept.size(); ++capture.remembered)
    remember(*recent, FileKind::kernel, kept[capture.remembered].path);
  if (const Result<void> saved = save_recent(*recent); !saved)
    capture.trouble = sentence(saved.error());
  state.open.recent.reset();
}

void draw_start(const Style& style, ProgramCapture& capture) {
  const float labels = style.unit(12), end = style.unit(16);
  const auto box = [&](const char* label, const char* hint, std::string& text, bool first) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label);
    ImGui::SameLine(labels);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - end);
    if (first && !capture.begun) ImGui::SetKeyboardFocusHere();
    ImGui::PushID(label);
    const bool entered =
        ImGui::InputTextWithHint("##text", hint, &text, ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::PopID();
    return entered;
  };
  bool start = box("command", "python train.py --steps 100", capture.command, true);
  capture.begun = true;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("As in a shell. The program runs as always; its results do not change.");
  ImGui::SameLine();
  const bool running = capture.live != nullptr && !capture.live->has_ended();
  if (running) {
    if (ImGui::Button("end the program")) capture.live->end_program();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Asks it to end (SIGTERM); the second time it is ended at once.");
  } else {
    start |= ImGui::Button("start");
  }
  start |= box("folder", "where it runs, and where captures are written", capture.folder, false);
  if (start && !running) start_program(capture);
}

void draw_waiting(const Style& style, LiveCapture& live) {
  const LiveCapture::Waiting waiting = *live.waiting();
  const bool saves = waiting.of_bytes > 0;
  const float ratio =
      saves ? static_cast<float>(waiting.done_bytes) / static_cast<float>(waiting.of_bytes) : 0.0f;
  ImGui::ProgressBar(ratio, {style.unit(20), 0}, "");
  ImGui::SameLine();
  ImGui::BeginDisabled(waiting.packs);
  if (ImGui::Button("cancel")) live.cancel();
  ImGui::EndDisabled();
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const std::string megabytes = std::to_string(waiting.done_bytes >> 20) + " of " +
                                std::to_string(waiting.of_bytes >> 20) + " MiB";
  const std::string words = waiting.packs ? "packing " + waiting.words
                            : saves       ? "saving " + waiting.words + ", " + megabytes
                                          : "waiting for " + waiting.words;
  draw_fitting_text(visible_name(words), ImGui::GetContentRegionAvail().x);
}

void draw_buttons(const Style& style, ProgramCapture& capture) {
  LiveCapture& live = *capture.live;
  if (live.waiting()) return draw_waiting(style, live);
  const auto tell = [&capture](const Result<void>& done) {
    capture.trouble = done ? "" : sentence(done.error());
  };
  const auto button = [](const char* words, const char* meaning) {
    const bool clicked = ImGui::Button(words);
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) ImGui::SetTooltip("%s", meaning);
    return clicked;
  };
  ImGui::BeginDisabled(live.has_ended());
  if (button("capture next",
             "The next launch. With a name beside it: of a kernel whose name matches this "
             "regular expression."))
    tell(live.take_next(capture.part));
  ImGui::SameLine();
  ImGui::SetNextItemWidth(style.unit(24));
  ImGui::InputTextWithHint("##part", "a part of the name", &capture.part);
  ImGui::SameLine();
  if (button("capture the slowest", "The next launch like the one that took longest so far."))
    tell(live.take_slowest());
  ImGui::SameLine();
  ImGui::BeginDisabled(capture.chosen.empty());
  if (button("capture the chosen one", "The next launch of the kernel that is chosen below."))
    tell(live.take_like(capture.chosen, std::nullopt));
  ImGui::EndDisabled();
  ImGui::EndDisabled();
}

void draw_kernels(const Style& style, ProgramCapture& capture, float height) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  if (!ImGui::BeginTable("kernels", kKernelColumns, kFlags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (int i = 0; i < kKernelColumns; ++i) {
    const bool wide = i == kKernel || i == kRange;
    ImGui::TableSetupColumn(
        kNames[i], wide ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
        i == kKernel ? 2.0f
        : wide       ? 1.0f
                     : style.unit(10));
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < kKernelColumns; ++i) {
    if (!ImGui::TableSetColumnIndex(i)) continue;
    ImGui::TableHeader(kNames[i]);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", kMeanings[i]);
  }
  std::vector<TableRow> rows = capture.rows;
  sort_as_asked(rows);
  for (const TableRow& row : rows) {
    const std::string& symbol = capture.symbols[row.index];
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushID(static_cast<int>(row.index));
    if (ImGui::Selectable("##row", symbol == capture.chosen,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
      capture.chosen = symbol;
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", capture.words[row.index].c_str());
    ImGui::SameLine(0, 0);
    draw_fitting_text(row.cells.front().text, ImGui::GetContentRegionAvail().x);
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      if (ImGui::TableNextColumn())
        draw_fitting_text(row.cells[i].text, ImGui::GetContentRegionAvail().x);
    }
    ImGui::PopID();
  }
  ImGui::EndTable();
}

// The captures, each with a button that opens it; the path of the one that was clicked.
fs::path draw_kept(const LiveCapture& live) {
  fs::path opened;
  int row = 0;
  for (auto kept = live.kept().rbegin(); kept != live.kept().rend(); ++kept) {
    ImGui::PushID(row++);
    if (ImGui::Button("open")) opened = kept->path;
    ImGui::PopID();
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    const std::string words = fs::path(kept->path).filename().string() + ": " + kept->words;
    draw_fitting_text(visible_name(words), ImGui::GetContentRegionAvail().x);
    if (!ImGui::IsItemHovered()) continue;
    std::string notes = kept->path;
    for (const std::string& note : kept->notes) notes += "\n" + note;
    ImGui::SetTooltip("%s", visible(notes).c_str());
  }
  return opened;
}

void draw_watched(Workspace& workspace, const Style& style, FrameState& state) {
  ProgramCapture& capture = state.open.program;
  LiveCapture& live = *capture.live;
  ImGui::Separator();
  draw_note(style, "the program " + live.status());
  draw_buttons(style, capture);
  const std::vector<std::string> output = live.last_output(3);
  const std::size_t kept = std::min<std::size_t>(live.kept().size(), 4);
  const float below = ImGui::GetFrameHeightWithSpacing() * static_cast<float>(kept) +
                      ImGui::GetTextLineHeightWithSpacing() * static_cast<float>(output.size() + 4);
  if (capture.rows.empty()) {
    draw_note(style, "No launch was seen yet.");
  } else {
    draw_kernels(style, capture, -below);
  }
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
  if (!live.messages().empty())
    ImGui::TextWrapped("%s", visible_name(live.messages().back()).c_str());
  ImGui::PopStyleColor();
  fs::path opened;
  if (kept > 0) {
    ImGui::BeginChild("kept", {0, ImGui::GetFrameHeightWithSpacing() * static_cast<float>(kept)});
    opened = draw_kept(live);
    ImGui::EndChild();
  }
  for (const std::string& line : output) draw_note(style, line);
  if (opened.empty()) return;
  capture.shown = false;
  open_file(workspace, state, opened);
}

}  // namespace

const Timeline* shown_program(const ProgramCapture& capture) {
  return capture.live == nullptr || capture.timeline.activities.empty() ? nullptr
                                                                        : &capture.timeline;
}

void show_program_capture(FrameState& state) {
  std::error_code ignored;
  if (state.open.program.folder.empty())
    state.open.program.folder = fs::current_path(ignored).string();
  state.open.program.shown = true;
  state.open.program.begun = false;
}

void start_program(ProgramCapture& capture) {
  capture.trouble.clear();
  if (capture.command.find_first_not_of(' ') == std::string::npos) {
    capture.trouble = "no program is named: write a command, such as python train.py";
    return;
  }
  LiveRequest request;
  request.words = {"/bin/sh", "-c", capture.command};
  request.folder = capture.folder;
  request.alone = true;
  request.settings.times = true;
  request.settings.cupti = found_cupti();
  Result<std::unique_ptr<LiveCapture>> live = LiveCapture::start(std::move(request));
  if (!live) {
    capture.trouble = sentence(live.error());
    return;
  }
  capture.live = std::move(*live);
  capture.revision = 0;
  capture.remembered = 0;
  capture.rows.clear();
  capture.timeline = {};
  capture.chosen.clear();
}

bool is_watching(const ProgramCapture& capture) {
  return capture.live != nullptr && capture.live->runs();
}

void draw_program_capture(Workspace& workspace, const Style& style, FrameState& state) {
  ProgramCapture& capture = state.open.program;
  if (capture.live != nullptr) {
    capture.live->update(0);
    take_in(capture);
    remember_kept(capture, state);
  }
  if (!capture.shown) return;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5f, 0.5f});
  ImGui::SetNextWindowSize(
      {std::min(style.unit(150), 0.94f * display.x), std::min(style.unit(90), 0.9f * display.y)},
      ImGuiCond_Appearing);
  if (!ImGui::Begin("Capture a running program", &capture.shown,
                    ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings))
    return ImGui::End();
  draw_start(style, capture);
  if (!capture.trouble.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    ImGui::TextWrapped("%s", visible_name(capture.trouble).c_str());
    ImGui::PopStyleColor();
  }
  if (capture.live != nullptr) {
    draw_watched(workspace, style, state);
  } else {
    draw_note(style,
              "The kernels that it launches will be listed here, with their times and NVTX ranges. "
              "Capture one: its code, its arguments and its memory become a scene.");
  }
  ImGui::End();
}

}  // namespace warpscope
