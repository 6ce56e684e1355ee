// workbench/panels/source/source_listing.cpp: PTX and SASS beside a kernel's text.
#include "workbench/panels/source/source_listing.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "profiling/listings/machine_table.h"
#include "profiling/points/occupancy.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/source/source_text.h"
#include "workbench/workspace/scene/kernel_files.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

constexpr std::size_t kNoInstruction = ~std::size_t{0};  // of a row that is none

ListedColumn& column_of(SourcePanel& state, SourceColumn which) {
  return which == SourceColumn::ptx ? state.ptx : state.machine;
}

ChosenCode chosen_code(const SourcePanel& state) {
  return {state.path, state.chosen, state.chosen_ptx};
}

// Makes the rows anew where the listing is another one. Whether it was.
bool load_rows(const Listing& listing, SourceColumn which, ListedColumn& column) {
  const bool machine_code = which == SourceColumn::machine_code;
  if (!column.rows_of.changes_to({listing.job, listing.step})) return false;
  column.rows = machine_code ? machine_rows(listing.machine_code, listing.entry, listing.files)
                             : ptx_rows(listing.ptx, listing.entry, listing.files);
  column.live.assign(column.rows.size(), kNoInstruction);
  column.instructions = 0;
  column.most_live.reset();
  int most = 0;
  for (std::size_t k = 0; k < column.rows.size(); ++k) {
    ListedRow& row = column.rows[k];
    if (!listing.ptx_lines) row.ptx_line = 0;
    if (!row.instruction) continue;
    const std::size_t place = column.instructions++;
    if (!machine_code) continue;
    column.live[k] = place;
    if (place >= listing.live.size()) continue;
    if (listing.live[place].general <= most) continue;
    most = listing.live[place].general;
    column.most_live = k;
  }
  column.figures_of.forget();
  column.lit_of.forget();
  column.chosen = -1;
  column.follow = true;
  return true;
}

void find_hot(const LineFigureRow* heat, ListedColumn& column) {
  column.hot.clear();
  column.most = 0;
  if (heat == nullptr) return;
  const bool counted = column.figures.measured && heat->measured != nullptr;
  std::vector<std::int64_t> values;
  for (const RowFigures& row : column.figures.rows) values.push_back(heat_of(row, *heat, counted));
  column.hot = hottest_first(values);
  if (!column.hot.empty()) column.most = static_cast<double>(values[column.hot.front()]);
}

// The trace of the diagrams, if it is of this machine code.
const Trace* machine_trace(const PanelContext& context, const Selection& selection,
                           const Listing& listing) {
  const TraceState traced = trace_state(context.view, selection.variant);
  return traced.trace != nullptr && traced.trace->machine_code &&
                 traced.freshness == Freshness::fresh && traced.trace->step == listing.step &&
                 context.view.files.earlier_text(*traced.trace).empty()
             ? traced.trace
             : nullptr;
}

// Finds which rows belong to what is chosen, where that is another one.
void find_lit(const SourcePanel& state, ListedColumn& column) {
  const ChosenCode chosen = chosen_code(state);
  if (!column.lit_of.changes_to(chosen)) return;
  column.lit_count = 0;
  column.lit_first = column.rows.size();
  for (std::size_t k = 0; k < column.rows.size(); ++k) {
    if (!belongs_to(column.rows[k], chosen)) continue;
    if (column.lit_count++ == 0) column.lit_first = k;
  }
}

// "nvcc 13.0"; a version alone is NVRTC's.
std::string compiler_of(const Listing& listing) {
  const bool version =
      !listing.toolkit.empty() && listing.toolkit[0] >= '0' && listing.toolkit[0] <= '9';
  return (version ? "NVRTC " : "") + listing.toolkit;
}

// "PTX of NVRTC 13.0 for sm_90 · 212 instructions · 12 of line 31".
std::string heading_of(const Listing& listing, SourceColumn which, const SourcePanel& state,
                       const ListedColumn& column) {
  std::string text =
      which == SourceColumn::machine_code
          ? "SASS of " + architecture_name(listing.compute_capability)
          : "PTX" + (listing.toolkit.empty() ? "" : " of " + compiler_of(listing)) + " for sm_90";
  text += fmt::format(" · {} instructions", column.instructions);
  const ChosenCode chosen = chosen_code(state);
  if (chosen.ptx_line <= 0 && chosen.line <= 0)
    return text + " · click a line to see which are its";
  const std::size_t count = column.lit_count;
  const std::string of = chosen.ptx_line > 0 ? fmt::format("PTX line {}", chosen.ptx_line)
                                             : fmt::format("line {}", chosen.line);
  return text + " · " + (count == 0 ? "none" : fmt::to_string(count)) + " of " + of;
}

std::string places_of(const ListedRow& row) {
  if (row.positions.empty()) return "The compiler names no line for this instruction.";
  std::string text;
  for (const SourcePosition& p : row.positions)
    text += (text.empty() ? "" : "\ninlined at ") + p.file + ":" + std::to_string(p.line);
  return text;
}

std::string listing_words(const AccessTotals& totals, const char* space) {
  if (totals.requests == 0) return "";
  return fmt::format("\n{}: {} requests, {} sectors, {} wavefronts", space, totals.requests,
                     totals.sectors, totals.wavefronts);
}

// Everything that is known of a row, with whole numbers.
std::string listing_words(const RowFigures& row, bool ptx) {
  std::string text;
  if (ptx)
    text += row.machine_instructions == 0
                ? "\nno SASS instruction: the compiler removed it, or made it part of another"
                : fmt::format("\nmade into {} SASS instructions", row.machine_instructions);
  if (row.is_modelled) {
    text += fmt::format("\nemulated: {} warp instructions, {} thread instructions",
                        row.modelled.instructions, row.modelled.threads);
    text += listing_words(row.modelled.global, "global") +
            listing_words(row.modelled.local, "local") +
            listing_words(row.modelled.shared, "shared");
  }
  if (!row.is_measured) return text;
  text += "\ncounted:";
  for (const LineMetricRow& metric : line_metrics()) {
    const auto value = row.measured[metric.metric];
    if (value && *value != 0) text += fmt::format("\n{}  {}", *value, metric.cupti_name);
  }
  return text;
}

std::string listing_words(const LiveRegisters& live) {
  return fmt::format("{} general, {} uniform, {} predicate registers in use: {}", live.general,
                     live.uniform, live.predicates + live.uniform_predicates,
                     live.names.empty() ? "none" : live.names);
}

// What is to be said of an instruction of machine code after its text.
std::string mark_of(const ListedColumn& column, std::size_t k) {
  const ListedRow& row = column.rows[k];
  const std::size_t at = row.text.find_first_not_of(' ', row.text.find("*/") + 2);
  std::string mark;
  if (at != std::string::npos && is_stack_access(std::string_view(row.text).substr(at)))
    mark = "  ◂ stack: spilled register or local array";
  if (column.most_live == k) mark += "  ◂ most live registers";
  return mark;
}

void light_row(const Style& style, bool chosen) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight(), left = ImGui::GetWindowPos().x;
  const float right = left + ImGui::GetWindowWidth();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({left, at.y}, {right, at.y + height},
                      faded(style.colours.accent, chosen ? 0.3f : 0.16f));
  list->AddRectFilled({left, at.y}, {left + style.unit(0.375f), at.y + height},
                      style.colours.accent);
}

struct DrawnListing {
  const Listing& listing;
  SourceColumn which;
  ListingColumns columns;
  CellLayout layout;
};

void draw_row(const Style& style, Selection& selection, const DrawnListing& drawn, std::size_t k,
              ListedColumn& column, SourcePanel& state) {
  const ListedRow& row = column.rows[k];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight(), left = ImGui::GetWindowPos().x;
  const bool machine_code = drawn.which == SourceColumn::machine_code;
  if (belongs_to(row, chosen_code(state)) || column.chosen == static_cast<int>(k))
    light_row(style, column.chosen == static_cast<int>(k));
  const int line = line_in(row, state.path);
  draw_cells(style, drawn.layout, drawn.columns, column, k, line, drawn.listing);
  ImGui::PushStyleColor(ImGuiCol_Text, row.instruction ? style.colours.text : style.colours.muted);
  ImGui::TextUnformatted(row.text.c_str());
  ImGui::PopStyleColor();
  const std::string mark = machine_code && row.instruction ? mark_of(column, k) : "";
  if (!mark.empty()) {
    ImGui::SameLine(0, 0);
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    ImGui::TextUnformatted(mark.c_str());
    ImGui::PopStyleColor();
  }
  if (!row.instruction || !ImGui::IsWindowHovered() ||
      !ImGui::IsMouseHoveringRect({left, at.y}, {left + ImGui::GetWindowWidth(), at.y + height}))
    return;
  std::string words = row.text.substr(std::min(row.text.find_first_not_of(' '), row.text.size())) +
                      "\n" + places_of(row);
  if (k < column.figures.rows.size()) words += listing_words(column.figures.rows[k], !machine_code);
  if (const InstructionShare* of =
          drawn.layout.waits ? waits_at(drawn.columns.waits, column, k) : nullptr)
    words += "\n" + of->words;
  if (const LiveRegisters* live = machine_code ? live_at(drawn.listing, column, k) : nullptr)
    words += "\n" + listing_words(*live);
  push_face(style.body);
  ImGui::SetTooltip("%s", words.c_str());
  ImGui::PopFont();
  if (line > 0) {
    selection.trace.hovering.file = state.path;
    selection.trace.hovering.line = line;
  }
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  choose_row(state, column, k);
  column.follow = false;  // what was clicked stays where it is
}

void draw_heading(const Style& style, const std::string& heading) {
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  draw_fitting_text(heading, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

// The registers in use at the chosen instruction, or where most are, with a button that leads
// there. `heading`: what stands there until an instruction is chosen; empty: a hint.
void draw_live(const Style& style, const Listing& listing, const std::string& heading,
               ListedColumn& column, SourcePanel& state) {
  if (listing.live.empty() || !column.most_live) {
    if (!heading.empty()) draw_heading(style, heading);
    return;
  }
  const std::size_t most = listing.live[column.live[*column.most_live]].general;
  if (small_tool_button(fmt::format("most live: {}###most_live", most).c_str()))
    choose_row(state, column, *column.most_live);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Go to the instruction with the most general registers in use.");
  if (!for_slides()) ImGui::SameLine();
  const LiveRegisters* const any =
      column.chosen >= 0 ? live_at(listing, column, static_cast<std::size_t>(column.chosen))
                         : nullptr;
  std::string text = any != nullptr     ? listing_words(*any)
                     : !heading.empty() ? heading
                                        : "click an instruction to see which registers are in use "
                                          "there";
  if (!listing.guessed.empty())
    text += fmt::format(" (guessed for {})", fmt::join(listing.guessed, ", "));
  ImGui::PushStyleColor(ImGuiCol_Text, any != nullptr ? style.colours.text : style.colours.muted);
  draw_fitting_text(text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

// Where SASS has no figures: a button that emulates it, or why it cannot be emulated.
void draw_without_figures(const PanelContext& context, Selection& selection,
                          const ListedColumn& column) {
  if (column.figures.modelled || for_slides()) return;
  const Trace* trace = trace_state(context.view, selection.variant).trace;
  if (selection.trace.machine_code && trace != nullptr && !trace->no_machine_code.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.warning);
    draw_fitting_text("no figures: " + trace->no_machine_code, ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
  }
  const bool follows = selection.trace.machine_code && trace != nullptr;
  if (follows || !context.view.engines.has_disassembler()) return;
  if (small_tool_button("emulate SASS")) selection.trace.machine_code = true;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(
        "Diagrams are of PTX now. Click to emulate SASS, the GPU's machine code: each instruction "
        "then has its figures.");
  ImGui::SameLine();
}

void follow_chosen(float height, ListedColumn& column) {
  if (!column.follow) return;
  column.follow = false;
  const std::size_t row =
      column.chosen >= 0 ? static_cast<std::size_t>(column.chosen) : column.lit_first;
  if (row >= column.rows.size()) return;
  ImGui::SetScrollY(
      std::max(0.0f, static_cast<float>(row) * height - ImGui::GetWindowHeight() / 3));
}

}  // namespace

int architecture_of(const SessionView& view) {
  const Hello* engine = view.session().engine();
  return engine != nullptr && engine->device && engine->device->compute_capability > 0
             ? engine->device->compute_capability
             : DeviceLimits{}.compute_capability;
}

const Listing* listing_here(const PanelContext& context, Selection& selection,
                            const StepRecord& step, bool wanted, bool machine_code,
                            SourcePanel& state) {
  const SessionView& view = context.view;
  const PointId& id = view.point_id(selection.variant);
  const int architecture = machine_code ? architecture_of(view) : 0;
  const Listing* listing = view.session().outcomes().listing_of(id, step.name, architecture);
  if (listing != nullptr) {
    StepRecord listed;
    listed.source = listing->source;
    listed.text_hash = listing->text_hash;
    if (!view.files.earlier_text(listed).empty() || listing->source != step.source)
      listing = nullptr;
  }
  if (listing == nullptr && wanted && view.engines.has_emulator() && !selection.held &&
      state.asked.changes_to(
          {{id.scene, id.variant, id.key, "", ""}, step.name, architecture, state.text_hash})) {
    context.requests.ask(request::Listing{selection.variant, step.name, architecture});
  }
  return listing;
}

void draw_awaited(const PanelContext& context, const std::string& variant,
                  LastKey<SourcePanel::Asked>& asked) {
  const Style& style = context.style;
  if (!context.view.engines.has_emulator())
    return draw_note(style,
                     "There is no engine here that compiles: build Warpscope with the CUDA toolkit "
                     "13.");
  const JobState job = context.view.last_job(JobKind::listing, variant);
  if (job.done && job.done->error) return draw_note(style, sentence(*job.done->error));
  if (job.done && job.done->status == DoneStatus::cancelled) {
    draw_note(style, "The compilation was cancelled.");
    if (tool_button("compile again")) asked.forget();
    return;
  }
  draw_note(style, job.progress && !job.progress->text.empty() ? "… " + job.progress->text
                                                               : "… compiling");
  if (job.job != nullptr && !job.done && !for_slides()) {
    if (tool_button("cancel")) context.requests.ask(request::Cancel{});
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("Cancels all that waits or runs.");
  }
}

void load_columns(const PanelContext& context, const Selection& selection, const Listing& listing,
                  const LineCounters* counters, const LineFigureRow* heat, SourcePanel& state) {
  const bool other_ptx = load_rows(listing, SourceColumn::ptx, state.ptx);
  const bool other_code = load_rows(listing, SourceColumn::machine_code, state.machine);
  if (other_ptx || other_code) state.chosen_ptx = 0;
  const Trace* trace = machine_trace(context, selection, listing);
  const ListedColumn::Figured key{
      listing.job, trace == nullptr ? -1 : trace->job, trace == nullptr ? "" : trace->step,
      counters == nullptr ? 0 : counters->instructions.size(),
      heat == nullptr ? -1 : static_cast<int>(heat - line_figures().data())};
  if (state.machine.figures_of.changes_to(key)) {
    state.machine.figures = machine_figures(state.machine.rows, trace, counters);
    find_hot(heat, state.machine);
    state.ptx.figures_of.forget();
    state.hot = 0;
  }
  if (!state.ptx.figures_of.changes_to(key)) return;
  state.ptx.figures = ptx_figures(state.ptx.rows, state.machine.rows, state.machine.figures);
  find_hot(heat, state.ptx);
}

void draw_listing(const PanelContext& context, Selection& selection, const Listing* listing,
                  SourceColumn which, const ListingColumns& columns, SourcePanel& state) {
  const Style& style = context.style;
  const bool machine_code = which == SourceColumn::machine_code;
  if (listing == nullptr) return draw_awaited(context, selection.variant, state.asked);
  const std::string& none = machine_code ? listing->no_machine_code : listing->no_ptx;
  if (!none.empty()) return draw_note(style, (machine_code ? "No SASS: " : "No PTX: ") + none);
  ListedColumn& column = column_of(state, which);
  find_lit(state, column);
  if (machine_code) draw_without_figures(context, selection, column);
  const std::string heading = heading_of(*listing, which, state, column);
  const bool one_line = columns.low && machine_code && !for_slides();
  if (!one_line) draw_heading(style, heading);
  if (machine_code) draw_live(style, *listing, one_line ? heading : "", column, state);
  push_face(style.mono);
  const DrawnListing drawn{*listing, which, columns,
                           layout_of(style, column, *listing, which, columns)};
  draw_cell_names(style, drawn.layout, columns);
  ImGui::BeginChild("listing", {0, 0}, 0, ImGuiWindowFlags_HorizontalScrollbar);
  push_code_spacing(style);
  const float height = ImGui::GetTextLineHeightWithSpacing();
  follow_chosen(height, column);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(column.rows.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_row(style, selection, drawn, static_cast<std::size_t>(i), column, state);
  }
  ImGui::PopStyleVar();
  ImGui::EndChild();
  ImGui::PopFont();
}

void choose_row(SourcePanel& state, ListedColumn& column, std::size_t row) {
  if (row >= column.rows.size()) return;
  const ListedRow& chosen = column.rows[row];
  const int line = line_in(chosen, state.path);
  if (line > 0) {
    show_line(state, line);
  } else {
    forget_rows(state);
    state.chosen = 0;
    state.led = true;
    state.ptx.follow = state.machine.follow = true;
  }
  state.chosen_ptx = chosen.ptx_line;
  column.chosen = static_cast<int>(row);
}

void forget_rows(SourcePanel& state) {
  state.chosen_ptx = 0;
  state.ptx.chosen = state.machine.chosen = -1;
}

}  // namespace warpscope
