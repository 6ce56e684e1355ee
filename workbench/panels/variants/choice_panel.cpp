// workbench/panels/variants/choice_panel.cpp: which variant an automatic one runs, and what decides
// it.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiling/overview/advice_list.h"
#include "profiling/session/remedy.h"
#include "profiling/tuning/choice_story.h"
#include "profiling/tuning/expected_places.h"
#include "workbench/drawing/focus.h"
#include "workbench/drawing/table.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// A candidate: what is expected of it, and what was measured.
struct CandidateRow {
  ChosenRow row;
  const Variant* variant = nullptr;  // null: the scene has none of this name today
  std::optional<double> expected_ns, recorded_ns;
  bool of_table = false;  // the expected time is one that the table was fitted to
  bool taken = false;
  std::string note;  // "taken", why it was left out; empty: nothing to say
};

// What is known of the choice at one configuration, made once.
struct KeptChoice {
  using Of = std::tuple<std::size_t, std::uint64_t, std::string, std::string, Configuration>;
  Of of;  // openings, revision, device, automatic variant, configuration
  Result<ChoiceStory> story = ChoiceStory{};
  std::vector<CandidateRow> rows;
  std::shared_ptr<const PickedRow> picked;  // of the point here; null: it has none
  const Measurement* point = nullptr;       // here; null: not measured
  // Makes the facts of inputs anew only as far as the axes have moved.
  Memo<std::tuple<std::size_t, std::string, std::string>, ExpectedPlaces> places;
  // The story alone costs; it does not change with what is measured elsewhere.
  Memo<std::tuple<std::string, Configuration, Facts>, Result<ChoiceStory>> told;
};

namespace {

constexpr const char* kPanel = "choice";
const TableColumn kColumns[] = {
    {"variant", ""}, {"predicted", "ns"}, {"measured", "ns"}, {"ratio", "ratio"}, {"note", ""}};

// Facts of the inputs here: of a point of any variant, else made for the costs.
Result<Workload> workload_here(const SessionView& view, const Configuration& axes,
                               ExpectedPlaces& places) {
  const std::string problem = problem_key(view.scene().axes, axes);
  for (const Variant& variant : view.scene().variants) {
    const PointState state = view.state(variant.name);
    if (state.point == nullptr || state.point->facts.empty()) continue;
    if (problem_key(view.scene().axes, state.point->axes) == problem)
      return Workload{axes, state.point->facts};
  }
  return places.workload(axes);
}

// The newest time of a row at the selected problem, in the state of the caches that decides.
const Measurement* point_of_row(const SessionView& view, const Workload& workload,
                                const ChosenRow& row) {
  const Workload own = workload_of(view.scene().axes, workload, row);
  return view.session().latest({view.scene().name, row.variant,
                                configuration_key(view.scene().axes, own.axes, row.variant), "",
                                view.device()});
}

std::string left_out_note(const std::vector<TriedRow>& tried, const ChosenRow& row) {
  for (const TriedRow& each : tried) {
    if (each.row == row && !each.ns) return "left out: " + each.left_out;
  }
  return "";
}

bool is_among(const std::vector<ExpectedTime>& rows, const ChosenRow& row) {
  return std::any_of(rows.begin(), rows.end(),
                     [&row](const ExpectedTime& each) { return each.row == row; });
}

std::vector<CandidateRow> candidates_of(const SessionView& view, const Workload& workload,
                                        const KeptChoice& kept) {
  const bool cold = kept.story->model->cold;
  std::vector<CandidateRow> rows;
  for (const ExpectedTime& expected : kept.story->rows) {
    CandidateRow row{expected.row, find_variant(view.scene(), expected.row.variant), expected.ns,
                     std::nullopt, expected.measured};
    const Measurement* point = point_of_row(view, workload, expected.row);
    const std::optional<Timing>* time = point == nullptr ? nullptr
                                        : cold           ? &point->cold
                                                         : &point->warm;
    if (time != nullptr && *time && point->verdict.outcome == Outcome::correct)
      row.recorded_ns = (*time)->median_ns;
    if (point != nullptr && point->verdict.outcome != Outcome::correct)
      row.note = std::string(to_text(point->verdict.outcome)) + " here";
    if (kept.picked) {
      row.taken = kept.picked->row == expected.row;
      if (const std::string left_out = left_out_note(kept.picked->tried, expected.row);
          !left_out.empty())
        row.note = left_out;
      for (const TriedRow& tried : kept.picked->tried) {
        if (tried.row == expected.row && tried.ns && !row.recorded_ns) row.recorded_ns = tried.ns;
      }
    }
    rows.push_back(std::move(row));
  }
  // Recordings of before the field have words alone.
  const bool said = !kept.picked && kept.point != nullptr && !kept.point->choice.empty();
  for (CandidateRow& row : rows)
    row.taken = row.taken || (said && row.variant != nullptr && chose(*kept.point, *row.variant));
  const bool ran = kept.picked || said;
  if (!ran && !rows.empty()) rows.front().taken = true;
  for (CandidateRow& row : rows) {
    if (!ran && row.note.empty() && is_among(kept.story->timed, row.row))
      row.note = "would be timed";
  }
  for (CandidateRow& row : rows) {
    if (row.taken && (ran || row.note.empty())) row.note = ran ? "taken" : "would be taken";
    if (row.of_table && row.note.empty()) row.note = "a time of the table";
  }
  return rows;
}

const KeptChoice& choice_once(const PanelContext& context, const Selection& selection,
                              const Variant& automatic, ChoicePanel& state) {
  const SessionView& view = context.view;
  if (state.kept == nullptr) state.kept = std::make_shared<KeptChoice>();
  KeptChoice& kept = *state.kept;
  const Configuration axes = for_variant(view.scene().axes, selection.axes, automatic.name);
  KeptChoice::Of of{view.opened.openings(), view.session().revision(), view.device(),
                    automatic.name, axes};
  if (kept.of == of) return kept;
  kept.of = std::move(of);
  const Hello* engine = view.session().engine();
  const DeviceLimits device =
      limits_of(engine != nullptr && engine->device ? &*engine->device : nullptr);
  ExpectedPlaces& places =
      kept.places.of(std::tuple(view.opened.openings(), view.device(), automatic.name),
                     [&] { return ExpectedPlaces(view.scene(), automatic.name, device); });
  const Result<Workload> workload = workload_here(view, axes, places);
  const PointState here = view.state(automatic.name);
  kept.point = here.apart.empty() ? here.point : nullptr;
  kept.picked = kept.point != nullptr ? kept.point->picked : nullptr;
  kept.rows.clear();
  if (!workload) {
    kept.story = tl::unexpected(workload.error());
    return kept;
  }
  kept.story = kept.told.of(std::tuple(automatic.name, axes, workload->facts), [&] {
    return choice_story(view.scene(), automatic.name, *workload, device);
  });
  if (kept.story) kept.rows = candidates_of(view, *workload, kept);
  return kept;
}

const char* reason_words(PickReason reason) {
  switch (reason) {
    case PickReason::measured:
      return "it was the fastest of the candidates, which were timed for this point";
    case PickReason::remembered:
      return "it was the fastest of the candidates when they were timed on such a device";
    case PickReason::table:
      break;
  }
  return "its table predicts the shortest time";
}

// What ran here and why; or what would run.
void draw_taken(const PanelContext& context, const KeptChoice& kept, const Variant& automatic) {
  const ChoiceModel& model = *kept.story->model;
  const auto label = [&context](const ChosenRow& row) {
    return label_of(context.view.scene().variants, row);
  };
  if (kept.story->rows.empty())
    return draw_note(context.style, "No variant of the table can run at this configuration.");
  const ExpectedTime& first = kept.story->rows.front();
  std::string text;
  if (kept.picked) {
    text = automatic.label + " ran " + label(kept.picked->row) + ": " +
           reason_words(kept.picked->reason) + ".";
    if (kept.picked->reason == PickReason::table && !(kept.picked->row == first.row))
      text += " Today's table takes " + label(first.row) + ".";
  } else if (kept.point != nullptr && !kept.point->choice.empty()) {
    text = automatic.label + " ran " + kept.point->choice + ". Today's table takes " +
           label(first.row) + ".";
  } else if (kept.story->timed.empty()) {
    text =
        "Not measured here. By its table, " + automatic.label + " takes " + label(first.row) + ".";
  } else {
    text = fmt::format(
        "Not measured here. When it first runs here, {} times the {} candidates with the shortest "
        "predicted times and takes the fastest. The table expects that to be {}.",
        automatic.label, kept.story->timed.size(), label(first.row));
  }
  if (first.measured)
    text +=
        " The table was fitted to times of this "
        "configuration, and takes the fastest: nothing decides.";
  draw_paragraph(text);
  draw_note(context.style,
            fmt::format("Predicted {} times are of an {}, fitted to {} configurations.",
                        model.cold ? "cold" : "warm", model.device, model.configurations));
}

std::string label_of(const CandidateRow& row) {
  return to_text(row.row, row.variant == nullptr ? row.row.variant : row.variant->label);
}

std::vector<TableRow> cells_of(const std::vector<CandidateRow>& candidates) {
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const CandidateRow& row = candidates[i];
    const auto ratio = row.recorded_ns && row.expected_ns
                           ? std::optional(*row.recorded_ns / *row.expected_ns)
                           : std::nullopt;
    TableCell times = words_cell("–");
    if (ratio) times = {fmt::format("{:.2f}×", *ratio), *ratio, "1"};
    rows.push_back({{words_cell(label_of(row)), figure_cell(row.expected_ns, "ns"),
                     figure_cell(row.recorded_ns, "ns"), std::move(times), words_cell(row.note)},
                    i});
  }
  in_one_time_unit(rows, 1);
  in_one_time_unit(rows, 2);
  return rows;
}

void draw_candidate(const PanelContext& context, Selection& selection, const CandidateRow& row,
                    const TableRow& cells) {
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushID(static_cast<int>(cells.index));
  if (ImGui::Selectable("##row", row.row.variant == selection.variant,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap) &&
      row.variant != nullptr)
    selection.variant = row.row.variant;
  if (begin_row_menu(kColumns, cells, selection, kPanel)) ImGui::EndPopup();
  ImGui::SameLine(0, 0);
  const float height = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const int index = variant_index(context.view.scene(), row.row.variant);
  draw_marker(ImGui::GetWindowDrawList(), {at.x + height / 2, at.y + height / 2}, height * 0.3f,
              variant_marker(index), variant_colour(style, index),
              row.taken ? Fill::solid : Fill::ring);
  ImGui::Dummy({height * 1.2f, height});
  ImGui::SameLine();
  draw_fitting_text(cells.cells[0].text, ImGui::GetContentRegionAvail().x);
  for (std::size_t i = 1; i < cells.cells.size(); ++i) {
    if (!ImGui::TableNextColumn()) continue;
    const TableCell& cell = cells.cells[i];
    const bool muted = cell.text == "–";
    if (muted) ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
    draw_fitting_text(cell.text, ImGui::GetContentRegionAvail().x);
    if (muted) ImGui::PopStyleColor();
    if (muted && i == 2) explain_missing("this variant was not measured at this configuration");
  }
  ImGui::PopID();
}

void draw_candidates(const PanelContext& context, Selection& selection, const KeptChoice& kept,
                     ChoicePanel& state, float width) {
  const Style& style = context.style;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Sortable |
                                     ImGuiTableFlags_SortTristate;
  std::vector<TableRow> rows = cells_of(kept.rows);
  std::erase_if(rows, [&](const TableRow& row) { return !passes(state.filter.text, row, 1); });
  if (rows.empty()) return draw_note(style, "No candidate passes the filter.");
  if (!ImGui::BeginTable("candidates", std::size(kColumns), kFlags, {width, 0})) return;
  reach_rows();
  ImGui::TableSetupScrollFreeze(1, 1);
  const char* const meanings[] = {
      "A variant that the automatic one may take; a full marker: the one that it took.",
      "By the fitted costs, on the device that they were fitted on. Less is better.",
      "The recorded median here, on the device that is shown, or of the candidates' trial.",
      "The measured time over the predicted one: 1 is a perfect prediction. On another device than "
      "that of the fit it may be far from 1.",
      "What was taken, and why a variant was left out."};
  for (std::size_t i = 0; i < std::size(kColumns); ++i) {
    const bool stretch = i == 0 || i == 4;
    const float wide = std::max(ImGui::CalcTextSize(kColumns[i].name.c_str()).x + style.unit(3),
                                ImGui::CalcTextSize("8888.8 µs").x);
    ImGui::TableSetupColumn(
        kColumns[i].name.c_str(),
        stretch ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed,
        stretch ? (i == 0 ? 3.0f : 2.0f) : wide);
  }
  reach_headers();
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (std::size_t i = 0; i < std::size(kColumns); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    ImGui::TableHeader(kColumns[i].name.c_str());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", meanings[i]);
  }
  sort_as_asked(rows);
  for (const TableRow& row : rows) draw_candidate(context, selection, kept.rows[row.index], row);
  ImGui::EndTable();
}

// A bar from the middle: to the right it is for the first row, to the left for the second.
void draw_share(const Style& style, const Decider& decider, double most) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
  const float half = width / 2;
  const float length = static_cast<float>(decider.share_ratio / most) * half;
  const bool first = decider.shift > 0;
  const ImVec2 low = {first ? at.x + half : at.x + half - length, at.y + height * 0.15f};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, {low.x + length, at.y + height * 0.85f},
                      first ? style.colours.accent : style.colours.warning);
  list->AddLine({at.x + half, at.y}, {at.x + half, at.y + height}, style.colours.axis);
  ImGui::Dummy({width, height});
}

std::string label_at(const KeptChoice& kept, std::size_t n) { return label_of(kept.rows[n]); }

void draw_decider(const Style& style, const Decider& decider, const KeptChoice& kept) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_paragraph(decider.label);
  ImGui::TableNextColumn();
  draw_paragraph(decider.value);
  ImGui::TableNextColumn();
  draw_paragraph(decider.other_lead < 0 ? decider.other : "–");
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(format_value(decider.share_ratio, "ratio").c_str());
  ImGui::TableNextColumn();
  draw_share(style, decider, kept.story->deciders.front().share_ratio);
  if (!ImGui::IsItemHovered()) return;
  ImGui::SetTooltip("%s", fmt::format("At {} = {}, {} would take {:.2f}× the time of {}.",
                                      decider.name, decider.other, label_at(kept, 1),
                                      std::exp(decider.other_lead), label_at(kept, 0))
                              .c_str());
}

void draw_features(const Style& style, const KeptChoice& kept) {
  constexpr std::size_t kMost = 8;
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV;
  const std::vector<Decider>& deciders = kept.story->deciders;
  if (!ImGui::BeginTable("features", 5, kFlags)) return;
  ImGui::TableSetupColumn("feature", ImGuiTableColumnFlags_WidthStretch, 4);
  ImGui::TableSetupColumn("here", ImGuiTableColumnFlags_WidthStretch, 2);
  ImGui::TableSetupColumn("turns at", ImGuiTableColumnFlags_WidthStretch, 2);
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed,
                          ImGui::CalcTextSize("100.0 %").x + style.unit(1));
  ImGui::TableSetupColumn("speaks for", ImGuiTableColumnFlags_WidthStretch, 3);
  reach_headers();
  ImGui::TableHeadersRow();
  double rest = 0;
  for (std::size_t i = 0; i < deciders.size(); ++i) {
    if (i < kMost) {
      draw_decider(style, deciders[i], kept);
    } else {
      rest += deciders[i].share_ratio;
    }
  }
  ImGui::EndTable();
  if (deciders.size() > kMost)
    draw_note(style, fmt::format("{} more features: {} in all", deciders.size() - kMost,
                                 format_value(rest, "ratio")));
}

void draw_deciders(const PanelContext& context, const KeptChoice& kept, float width) {
  const Style& style = context.style;
  ImGui::BeginChild("deciders", {width, 0}, kReached);
  draw_paragraph("What decides between " + label_at(kept, 0) + " (right, " +
                 fmt::format("{:.2f}× faster", kept.story->rows[1].ns / kept.story->rows[0].ns) +
                 ") and " + label_at(kept, 1) + " (left):");
  draw_features(style, kept);
  draw_note(
      style,
      "Each feature gets half and twice its value, or another choice. Its share is the change "
      "of the ratio of the two predicted times, divided by the sum of these changes over all "
      "features.");
  ImGui::EndChild();
}

}  // namespace

void draw_choice_panel(const PanelContext& context, Selection& selection, ChoicePanel& state) {
  const Style& style = context.style;
  const Scene& scene = context.view.scene();
  const Variant* automatic = chooses_by_costs(scene, selection.variant)
                                 ? find_variant(scene, selection.variant)
                                 : variant_by_costs(scene);
  if (automatic == nullptr)
    return draw_note(style, "No variant of this scene chooses by fitted costs.");
  if (!applies(*automatic, selection.axes))
    return draw_note(style, automatic->label + " does not compute what this configuration asks.");
  const KeptChoice& kept = choice_once(context, selection, *automatic, state);
  if (!kept.story) return draw_note(style, sentence(kept.story.error()));
  const float whole = ImGui::GetContentRegionAvail().x;
  // Nothing decides where nothing is predicted: one sentence stands below the others.
  const bool decided = kept.rows.size() > 1 && !kept.story->deciders.empty();
  const bool beside = decided && whole > style.unit(150);
  const TableBar bar = draw_table_bar(kPanel, "filter: text, > 50 µs   (Ctrl+F)", state.filter,
                                      selection, std::min(whole, style.unit(38)));
  if (decided && !beside) {
    if (whole > style.unit(60)) ImGui::SameLine();
    if (tool_button(state.deciders ? "candidates" : "what decides"))
      state.deciders = !state.deciders;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("The candidates with their times, or what decides between the first two.");
  }
  draw_taken(context, kept, *automatic);
  if (kept.rows.empty()) return;
  const float right = std::min(style.unit(68), whole * 0.45f);
  if (beside || !decided || !state.deciders)
    draw_candidates(context, selection, kept, state, beside ? whole - right - style.unit(1) : 0);
  if (beside) ImGui::SameLine(0, style.unit(1));
  if (beside || (decided && state.deciders)) draw_deciders(context, kept, beside ? right : 0);
  if (bar.wanted) selection.wish = rows_as_csv(kPanel, kColumns, cells_of(kept.rows));
}

}  // namespace warpscope
