// workbench/panels/roofline/roofline_legend.h: which variants and levels a roofline draws, and how
// plainly.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "workbench/panels/roofline/roofline_standings.h"

namespace warpscope {

// The names of the variants that are drawn full: the focus, its baseline and the fastest of the
// focus's league that may be compared; all of them where a person asked for that. The rest is
// faint.
std::set<std::string> drawn_full(const std::vector<VariantStanding>& all, const std::string& focus,
                                 const std::string& baseline, bool all_full);
// The fastest of those of a league that take part in comparisons; null: none does.
const VariantStanding* fastest_of(const std::vector<VariantStanding>& all,
                                  const std::string& league);

// Takes the points of levels that are switched off from every standing.
void leave_out(const std::set<Level>& off, std::vector<VariantStanding>& all);

// Shows a variant in plots, or hides it.
void toggle_shown(Selection& selection, const std::string& variant);
// Hides every other variant of the scene; where they are hidden already all are shown again.
void show_alone(Selection& selection, const Scene& scene, const std::string& variant);

// From this width on the legend stands beside the plot, below it one button opens it.
bool legend_is_beside(const Style& style, float width);
float legend_width(const Style& style);
// Marker and name of every variant that applies: a click shows or hides it, a double click or
// Alt+click shows it alone.
void draw_variant_legend(const PanelContext& context, Selection& selection,
                         const std::vector<VariantStanding>& all,
                         const std::set<std::string>& full);
// The row below the plot: a switch a level, whether the rest is faint, and the legend where it does
// not stand beside.
void draw_roofline_switches(const PanelContext& context, Selection& selection,
                            const std::vector<VariantStanding>& all,
                            const std::set<std::string>& full, const std::set<Level>& levels,
                            RooflinePanel& state);

}  // namespace warpscope
