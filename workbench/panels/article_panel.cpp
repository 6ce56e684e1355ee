// workbench/panels/article_panel.cpp: what a scene's article said, and what holds here.
#include <algorithm>
#include <utility>

#include "profiling/claims/claim_text.h"
#include "profiling/session/source_standing.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/panels.h"
#include "workbench/workspace/scene/scene_words.h"

namespace warpscope {
namespace {

// A word and a sign, never colour alone.
const char* sign_of(ClaimStanding standing) {
  switch (standing) {
    case ClaimStanding::holds:
      return "✔ holds";
    case ClaimStanding::does_not_hold:
      return "✕ does not hold";
    default:
      return "? not known";
  }
}

ImU32 colour_of(const Style& style, ClaimStanding standing) {
  return standing == ClaimStanding::holds           ? style.colours.good
         : standing == ClaimStanding::does_not_hold ? style.colours.bad
                                                    : style.colours.muted;
}

void draw_row(const Style& style, const ArticleClaim& claim,
              const std::optional<ArticleRow>& made) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_paragraph(claim.said);
  ImGui::TableNextColumn();
  if (!made) return ImGui::TextDisabled("…");
  const ArticleRow& row = *made;
  const bool known = row.standing != ClaimStanding::unknown;
  ImGui::PushStyleColor(ImGuiCol_Text, colour_of(style, row.standing));
  ImGui::TextWrapped("%s", sign_of(row.standing));
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
  if (known) {
    draw_paragraph(row.shown);
  } else {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
    draw_paragraph(row.shown + (row.remedy.empty() ? "" : ": " + row.remedy));
    ImGui::PopStyleColor();
  }
}

// While jobs run every answer makes the session another one, and none of them may concern the
// scene's defaults: the rows are checked against it again this often, and at once when the last job
// ends.
constexpr double kHeldAgainS = 1;

bool of_another(const ArticlePanel& state, const SessionView& view) {
  return state.openings != view.opened.openings() || state.scene != view.scene().name ||
         state.device != view.device() || state.rows.size() != view.scene().article.size();
}

bool out_of_date(const ArticlePanel& state, const SessionView& view) {
  if (state.next_row < state.rows.size()) return false;  // these are made first
  return state.revision != view.session().revision() &&
         (!view.progress().busy || ImGui::GetTime() - state.at_s >= kHeldAgainS);
}

// The card's name, and which one it is where there are several.
std::string shown_device(const ClaimContext& context) {
  const auto& devices = context.session->devices();
  const auto known = std::find_if(devices.begin(), devices.end(), [&](const DeviceName& device) {
    return device.id() == context.device_uuid;
  });
  if (devices.size() > 1 && known != devices.end()) return to_text(*known);
  const std::string name = resolve("{device}", context);
  return name.starts_with("–") ? "this device" : name;
}

// Rows of another scene, device or session file are empty until they are made; of the same, they
// show what they showed before.
void begin_rows(ArticlePanel& state, const SessionView& view, const ClaimContext& context) {
  std::vector<std::optional<ArticleRow>> rows(view.scene().article.size());
  const bool another = of_another(state, view);
  if (!another) rows = std::move(state.rows);
  const std::size_t next_source = another ? 0 : state.next_source;
  state = {ImGui::GetTime(), view.session().revision(), view.opened.openings(), view.scene().name,
           view.device(),    shown_device(context),     std::move(rows)};
  state.next_source = next_source;
}

// To tell whether a figure is of today's source, the source is read in tokens once. A claim over
// all variants would do so for all of them in one frame. Returns whether they are done.
template <typename IsSpent>
bool look_at_sources(ArticlePanel& state, const ClaimContext& claims, const IsSpent& is_spent) {
  const std::vector<Variant>& variants = claims.scene->variants;
  while (claims.sources != nullptr && state.next_source < variants.size()) {
    const Measurement* point = exact_point(claims, variants[state.next_source].name);
    ++state.next_source;
    if (point == nullptr) continue;
    static_cast<void>(claims.sources->of(*point));
    if (is_spent()) return false;
  }
  return true;
}

// A row gathers figures over all points of a session: no frame waits for all of them.
void make_rows(ArticlePanel& state, const PanelContext& context) {
  const SessionView& view = context.view;
  if (of_another(state, view) || out_of_date(state, view)) {
    ClaimContext claims = view.words.claims();
    claims.axes = default_configuration(view.scene().axes);
    begin_rows(state, view, claims);
  }
  if (state.next_row == state.rows.size()) return;
  const ClaimContext claims = at_defaults(view.words.claims());
  const auto is_spent = [&context] {
    return context.budget != nullptr && context.budget->is_spent();
  };
  if (!look_at_sources(state, claims, is_spent)) return;
  while (state.next_row < state.rows.size()) {
    const ArticleClaim& claim = view.scene().article[state.next_row];
    if (!state.judged) {
      state.judged = judged_row(claims, claim);
      if (is_spent()) return;
    }
    fill_row(claims, claim, *state.judged);
    state.rows[state.next_row] = *std::exchange(state.judged, std::nullopt);
    ++state.next_row;
    if (state.next_row < state.rows.size() && is_spent()) return;
  }
}

}  // namespace

void draw_article_panel(const PanelContext& context, Selection& selection, ArticlePanel& state) {
  const SessionView& view = context.view;
  const Scene& scene = view.scene();
  if (scene.article.empty()) {
    draw_note(context.style, "The scene " + scene.name + " retells no article.");
    return;
  }
  // A card stands where the article did: at the scene's defaults, whatever the sliders say.
  const Configuration defaults = default_configuration(scene.axes);
  make_rows(state, context);
  const bool several = view.session().devices().size() > 1;
  draw_note(context.style, "Claims about this scene, compared with what was measured here" +
                               (several ? " on " + state.shown_device : "") +
                               ". Each row uses the scene's defaults or the values that it names, "
                               "wherever the sliders are.");
  if (!(selection.axes == defaults)) {
    if (tool_button("go to the defaults")) selection.axes = defaults;
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("Moves all axes to the article's configuration.");
  }
  if (!ImGui::BeginTable(
          "article", 3,
          ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX))
    return;
  reach_rows();
  const std::string shows = state.shown_device + " shows";
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("claim", ImGuiTableColumnFlags_WidthStretch, 0.42f);
  ImGui::TableSetupColumn("verdict", ImGuiTableColumnFlags_WidthFixed,
                          ImGui::CalcTextSize(sign_of(ClaimStanding::does_not_hold)).x);
  ImGui::TableSetupColumn(shows.c_str(), ImGuiTableColumnFlags_WidthStretch, 0.58f);
  reach_headers();
  ImGui::TableHeadersRow();
  for (std::size_t at = 0; at < state.rows.size(); ++at)
    draw_row(context.style, scene.article[at], state.rows[at]);
  ImGui::EndTable();
}

}  // namespace warpscope
