// workbench/panels/panels.h: the table of panels: one file and one row each.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiling/claims/article.h"
#include "workbench/client/process_memory.h"
#include "workbench/drawing/diagram_layout.h"
#include "workbench/drawing/picture_textures.h"
#include "workbench/drawing/plot.h"
#include "workbench/drawing/style.h"
#include "workbench/drawing/table.h"
#include "workbench/workspace/workspace.h"

// A panel reads the workspace and the style, writes the selection, and keeps what only it needs in
// its state. At its top it says which of four states it is in: nothing, failed, pending or stale,
// fresh.

namespace warpscope {

struct PanelContext {
  const Workspace& workspace;
  const Style& style;
};

struct AxesPanel {
  // Files, texts and lists while they are edited, and what was chosen when that began.
  struct Typed {
    std::string text, of;
  };
  std::map<std::string, Typed> typed;
  std::string admitted;  // the configuration that `refusal` is of
  std::string refusal;   // why it cannot be measured; empty: it can
};
struct VariantsPanel {
  TableFilter filter;
};
struct RooflinePanel {
  PlotView view;
  std::map<std::string, std::deque<std::pair<double, double>>> trails;
  std::string last_key;
};
struct SweepPanel {
  PlotView view;
  std::string shown;  // axis and metric the view was fitted for
  // Of a variant: which of Session::points are on its line, by axis value and place there.
  struct Found {
    std::size_t looked_at = 0;
    std::vector<std::pair<double, std::size_t>> places;
  };
  std::map<std::string, Found> found;
  std::string found_for;                // session, axis and the values of the others …
  const Workspace* found_in = nullptr;  // … and whose session it is; only compared
};
struct TimingPanel {
  PlotView cold, warm;
  std::string shown;
};
struct TimelinePanel {
  PlotView view;
  int chosen = -1;
  std::string shown;
};
struct MetricsPanel {
  TableFilter filter;
  std::string part;  // a step, or "layer=Conv1"; empty: the whole run
};
struct CurvesPanel {
  PlotView view;
  std::string chosen;  // name of the curve
  std::string shown;   // what the view was fitted for
  bool log_y = false;
  // What is drawn of a curve, by variant and name; made again when it has grown.
  struct Thinned {
    std::string of;
    std::vector<CurvePoint> points;
  };
  std::map<std::string, Thinned> thinned;
};
struct PicturesPanel {
  PictureTextures* textures = nullptr;  // of who draws; null: pictures are drawn in rectangles …
  struct Reduced {
    std::uint64_t revision = 0;
    std::string key;
    int most = 0;
    ReducedPicture picture;
  };
  std::map<std::string, Reduced> reduced;  // … of so many cells, by variant and name
};
struct SourcePanel {
  std::string path, text_hash;  // of the file, and of the text that the lines are of
  std::vector<std::string> lines;
  bool show_log = false;
  int heat = 1;  // what stands before the lines: 0 nothing, else 1 + index in line_figures()
};
// What each request of a trace costs, counted once a trace.
struct TraceCosts {
  std::string of;
  std::vector<RequestCost> costs;
};
struct CoalescingPanel {
  TraceCosts costs;
  TableFilter filter;
};
struct BanksPanel {
  TraceCosts costs;
  TableFilter filter;
};
struct WarpMapPanel {
  std::string of, shown;  // the trace and array of `accesses`; what the view was fitted for
  std::vector<ElementAccess> accesses;
  ElementSummary summary;
  MapView view;
  // The tiles of the view, made again when it, the detail or the time shown changes.
  std::vector<MapTile> tiles;
  MapView tiles_view;
  MapDetail tiles_detail;
  std::uint64_t tiles_until = 0;
  int colour_by = 0;  // 0 lane, 1 warp, 2 time, 3 block
  // Who wrote what is in view, of the whole grid; made again with the tiles.
  std::vector<WriterRun> runs;
};
struct DivergencePanel {};
struct ArticlePanel {
  // As of this session, scene and device.
  std::uint64_t revision = 0;
  std::size_t openings = 0;
  std::string scene, device, shown_device;
  std::vector<ArticleRow> rows;
};
struct EnginePanel {
  TableFilter filter;  // of the log
  // What the processes have, read once a second.
  struct Memory {
    double at_s = -1;
    std::optional<std::int64_t> window, engine, emulator;
    HeapBytes heap;
  } memory;
};

struct PanelStates {
  AxesPanel axes;
  VariantsPanel variants;
  RooflinePanel roofline;
  SweepPanel sweep;
  TimingPanel timing;
  TimelinePanel timeline;
  MetricsPanel metrics;
  SourcePanel source;
  EnginePanel engine;
  ArticlePanel article;
  CoalescingPanel coalescing;
  BanksPanel banks;
  WarpMapPanel warp_map;
  DivergencePanel divergence;
  CurvesPanel curves;
  PicturesPanel pictures;
};

void draw_axes_panel(const PanelContext&, Selection&, AxesPanel&);
void draw_variants_panel(const PanelContext&, Selection&, VariantsPanel&);
void draw_roofline_panel(const PanelContext&, Selection&, RooflinePanel&);
void draw_sweep_panel(const PanelContext&, Selection&, SweepPanel&);
void draw_timing_panel(const PanelContext&, Selection&, TimingPanel&);
void draw_timeline_panel(const PanelContext&, Selection&, TimelinePanel&);
void draw_metrics_panel(const PanelContext&, Selection&, MetricsPanel&);
void draw_source_panel(const PanelContext&, Selection&, SourcePanel&);
void draw_article_panel(const PanelContext&, Selection&, ArticlePanel&);
void draw_engine_panel(const PanelContext&, Selection&, EnginePanel&);
void draw_coalescing_panel(const PanelContext&, Selection&, CoalescingPanel&);
void draw_banks_panel(const PanelContext&, Selection&, BanksPanel&);
void draw_warp_map_panel(const PanelContext&, Selection&, WarpMapPanel&);
void draw_divergence_panel(const PanelContext&, Selection&, DivergencePanel&);
void draw_curves_panel(const PanelContext&, Selection&, CurvesPanel&);
void draw_pictures_panel(const PanelContext&, Selection&, PicturesPanel&);
// The picture of this name that Pictures shows; null: none.
const Picture* picture_to_write(const Workspace& workspace, const std::string& name);

// The filter box of a panel's table; null where the panel has no table.
TableFilter* table_filter(PanelStates& panels, const std::string& panel);
// The views of all plots.
std::array<PlotView*, 6> plot_views(PanelStates& panels);

enum class Region { left_top, left_bottom, centre, right, bottom };

struct PanelRow {
  const char* name;   // "roofline": command line
  const char* title;  // "Roofline"
  Region region;
  void (*draw)(const PanelContext&, Selection&, PanelStates&);
  // Whether it has anything to show in this scene; null: in every one. Else it has no tab.
  bool (*belongs)(const Workspace&) = nullptr;
};
std::span<const PanelRow> all_panels();
const PanelRow* find_panel(const std::string& name);

// The line at a panel's top: what it shows and whether that is fresh. Returns the point to draw, or
// null after having said why there is none. Where a click can mend that, it has the button.
const Measurement* panel_heading(const PanelContext& context, Selection& selection,
                                 const std::string& variant);
// A button that leads to the nearest recorded configuration, where nothing is recorded here.
void draw_nearest_stop(const PanelContext& context, Selection& selection);
// A button that changes the axes so that a variant can run, where it cannot and a change mends it.
void draw_remedy(const PanelContext& context, Selection& selection, const std::string& variant);
// The place of a variant in its scene, which fixes its colour and marker.
int variant_index(const Scene& scene, const std::string& variant);
// Behind a dash: where its cell is hovered, says why there is no figure and what to do.
void explain_missing(const std::string& reason, const std::string& remedy = {});
// Why a point has no time of `cache`, in one sentence.
std::string missing_time(const PanelContext& context, const std::string& variant, CacheState cache);
// What keeps an engine from answering, and how a person ends that.
std::string delay_text(const EngineDelay& delay);
// A muted sentence that wraps.
void draw_note(const Style& style, const std::string& text);
// Text cut with an ellipsis to `width`.
std::string fitting(const std::string& text, float width);
// The same drawn, whole on hover.
void draw_fitting_text(const std::string& text, float width);
const std::optional<Timing>& timing_of(const Measurement& measurement, CacheState cache);

}  // namespace warpscope
