// workbench/panels/panels.h: the table of panels: one file and one row each.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiling/access/barrier_timeline.h"
#include "profiling/access/warp_roles.h"
#include "profiling/claims/article.h"
#include "profiling/findings/findings.h"
#include "profiling/listings/kernel_text.h"
#include "profiling/listings/line_diff.h"
#include "profiling/listings/listing.h"
#include "profiling/listings/row_figures.h"
#include "profiling/overview/pixel_view.h"
#include "profiling/steps/step_rows.h"
#include "profiling/steps/timeline_lanes.h"
#include "workbench/client/process_memory.h"
#include "workbench/drawing/diagram_layout.h"
#include "workbench/drawing/focus.h"
#include "workbench/drawing/picture_textures.h"
#include "workbench/drawing/plot.h"
#include "workbench/drawing/style.h"
#include "workbench/drawing/table.h"
#include "workbench/panels/diagrams/kept_requests.h"
#include "workbench/panels/warps/kept_warps.h"
#include "workbench/workspace/selection/memo.h"
#include "workbench/workspace/selection/requests.h"
#include "workbench/workspace/session_view.h"

// A panel reads the view and the style, writes the selection, asks through requests, and keeps what
// only it needs in its state. At its top it says which of four states it is in: nothing, failed,
// pending or stale, fresh.

namespace warpscope {

class ExerciseRun;
struct KeptChoice;    // panels/variants/choice_panel.cpp
struct KeptExpected;  // panels/sweep/sweep_expected.cpp
struct KeptMetrics;   // panels/figures/metrics_panel.cpp
struct KeptStalls;    // panels/stalls/stall_causes.cpp

// What a lesson points at: a panel, the first line of a kernel's text that has these words, a
// metric's row, or an axis; all empty: nothing.
struct Spotlight {
  std::string panel, line, metric, axis;
  bool fresh = false;  // it has just come here: what it falls on scrolls into sight
  Box box;             // where this frame drew that; empty: nowhere
  int row = -1;        // that was scrolled to: it follows where rows come in above it
};

// How long panels may make figures that need not come all at once.
struct FrameBudget {
  std::chrono::steady_clock::time_point ends;
  bool unfinished = false;  // a panel goes on in the next frame
  // Asked by a panel that has more to make.
  bool is_spent() {
    const bool spent = std::chrono::steady_clock::now() >= ends;
    unfinished = unfinished || spent;
    return spent;
  }
};

struct PanelContext {
  const SessionView& view;
  const Style& style;
  Requests& requests;
  Spotlight* spotlight = nullptr;     // written by the panel that draws what it falls on
  FrameBudget* budget = nullptr;      // null: what is drawn must be whole, as in a picture
  const Timeline* program = nullptr;  // newest launches of the program that is watched; null: none
  Focus* focus = nullptr;             // null: no keyboard
};

struct NoState {};  // of a panel that keeps nothing
struct ExercisePanel {
  std::shared_ptr<ExerciseRun> run;  // of the scene's folder; null: that is not an exercise …
  std::filesystem::path folder;      // … or it cannot be read: this one was looked at
};
struct AxesPanel {
  // Files, texts and lists while they are edited, and what was chosen when that began.
  struct Typed {
    std::string text, of;
  };
  struct Asked {
    std::string scene, key;
    bool operator==(const Asked&) const = default;
  };
  std::map<std::string, Typed> typed;
  Memo<Asked, std::string> refusal;  // why that cannot be measured; empty: it can
  std::map<std::string, bool> more;  // whether the second group is open, by scene
  std::string go_to;                 // the axis whose control gets the keyboard; empty: none
};
struct VariantsPanel {
  TableFilter filter;
  std::set<std::string> open;                          // families whose folded rows are shown
  LastKey<std::pair<std::string, std::string>> focus;  // scene and variant: its row is in view
};
// The point of a plot that a right click opened a menu of.
struct PinMenu {
  std::string variant;
  Configuration axes;
};
struct RooflinePanel {
  PlotView view;
  PinMenu pin;
  std::map<std::string, std::deque<std::pair<double, double>>> trails;
  std::string last_key;
  std::set<Level> off;    // levels whose points are hidden
  bool all_full = false;  // else only focus, baseline and the fastest, and the rest faint
  bool path = false;      // the journal's iterations are joined by arrows
};
struct SweepPanel {
  PlotView view;
  PinMenu pin;
  struct Fitted {
    std::string axis, metric;
    std::vector<std::string> choices;
    bool operator==(const Fitted&) const = default;
  };
  LastKey<Fitted> shown;  // what the view was fitted for
  // For each variant: which of Session::points are on its line, by axis value and place there.
  struct Found {
    std::size_t looked_at = 0;
    std::vector<std::pair<double, std::size_t>> places;
  };
  std::map<std::string, Found> found;
  struct Line {
    std::size_t openings = 0;
    const Session* session = nullptr;  // only compared
    std::string scene;
    std::vector<std::string> axes;  // that are swept
    std::string device;
    std::vector<std::pair<std::string, std::string>> others;  // the values of the other axes
    std::vector<std::string> free;                            // axes that are not held
    bool operator==(const Line&) const = default;
  };
  LastKey<Line> found_for;
  std::optional<bool> predicted;  // on a map; no value: if an automatic choice is in focus
  std::shared_ptr<KeptExpected> expected;
};
struct TimingPanel {
  PlotView cold, warm;
  PinMenu pin;
  struct Fitted {
    std::string scene, variant, key;
    bool operator==(const Fitted&) const = default;
  };
  LastKey<std::vector<Fitted>> shown;  // what the views were fitted for
};
struct TimelinePanel {
  PlotView view;
  int chosen = -1;
  struct Capture {
    std::string variant, key, date, device;
    std::int64_t job = 0;
    std::size_t activities = 0;
    bool operator==(const Capture&) const = default;
  };
  LastKey<Capture> shown;  // the capture that the view was fitted for …
  TimelineLanes lanes;     // … and that these are of
  bool table = false;      // how often and how long what ran, in place of bars
  TableFilter filter;      // of the table; bars without its words are dim …
  int match = -1;          // … and this activity is the one that was gone to last
  // Other captures below it on the same scale, by variant and key, and their lanes.
  std::vector<std::pair<std::string, std::string>> beside;
  std::map<std::pair<std::string, std::string>, TimelineLanes> beside_lanes;
  bool in_view = false;  // the table counts only what is in view
  bool program = true;   // the program's launches while one is watched, in place of the variant's
};
struct MetricsPanel {
  TableFilter filter;
  std::set<std::string> open;         // groups whose details are shown
  std::string part;                   // a step, or "layer=Conv1"; empty: the whole run
  std::string go_to;                  // id of the row to bring into view; empty: none …
  std::string found;                  // … and of the one that was brought there last
  bool scroll = false;                // … in this frame
  std::set<std::string> starred;      // ids of rows that stand first
  std::shared_ptr<KeptMetrics> kept;  // the rows of the point; null: none were made yet
};
struct CurvesPanel {
  PlotView view;
  std::string chosen;  // name of the curve
  struct Fitted {
    std::string curve, variant, key;
    bool log = false;
    bool operator==(const Fitted&) const = default;
  };
  LastKey<Fitted> shown;  // what the view was fitted for
  bool log_y = false;
  // What the view fits: of the moment at which the pointer came, while curves grow under it.
  PlotScale fit_x, fit_y;
  LastKey<Fitted> fit_of;
  bool pointed = false;
  // What is drawn of a curve; made again when it has grown.
  struct Drawn {
    std::string variant, device, name;
    // NOLINTNEXTLINE(modernize-use-nullptr): version 14 takes a comparison's 0 for a pointer
    auto operator<=>(const Drawn&) const = default;
  };
  struct Grown {
    std::string key, code_id;
    std::int64_t job = 0;
    std::size_t count = 0;
    std::string last;  // its last value as text: NaN equals itself
    bool operator==(const Grown&) const = default;
  };
  std::map<Drawn, Memo<Grown, std::vector<CurvePoint>>> thinned;
};
// What a warp reads of the pictures in an array, as it was last found.
struct PixelMapsView {
  bool whole = true;
  struct Read {
    TraceKey trace;
    std::uint32_t warp = 0;
    bool operator==(const Read&) const = default;
  };
  LastKey<Read> of;
  PixelMaps maps;
  PixelView view;
};
struct PicturesPanel {
  PixelMapsView maps;
  PictureTextures* textures = nullptr;  // owned by the window; null: pictures are drawn in
                                        // rectangles …
  struct Reduced {
    std::uint64_t revision = 0;
    std::string key;
    int most = 0;
    bool operator==(const Reduced&) const = default;
  };
  // … with a bounded number of cells, by variant and name
  std::map<std::pair<std::string, std::string>, Memo<Reduced, ReducedPicture>> reduced;
};
// The columns of Source, or what stands in their place.
enum class SourceView { columns, compile_log, comparison };
enum class SourceColumn { text, ptx, machine_code };
// PTX or machine code beside a kernel's text.
struct ListedColumn {
  std::vector<ListedRow> rows;  // of the listing that is shown …
  struct Listed {
    std::int64_t job = 0;
    std::string step;
    bool operator==(const Listed&) const = default;
  };
  LastKey<Listed> rows_of;               // … which is this one
  std::size_t instructions = 0;          // among the rows
  std::vector<std::size_t> live;         // by row: its place among the instructions
  std::optional<std::size_t> most_live;  // the row with most registers in use
  ListingFigures figures;                // of the rows …
  struct Figured {
    std::int64_t listing = -1, trace = -1;  // jobs; −1: no machine code was emulated
    std::string step;
    std::size_t counted = 0;  // instructions that the session has counters of
    int heat = 0;
    bool operator==(const Figured&) const = default;
  };
  LastKey<Figured> figures_of;   // … of these
  std::vector<std::size_t> hot;  // rows with most of the chosen figure, the hottest first
  double most = 0;               // of that figure
  int chosen = -1;               // the row that was clicked; −1: none
  LastKey<ChosenCode> lit_of;    // what the lit rows belong to, as of these rows …
  std::size_t lit_count = 0, lit_first = 0;  // … how many there are, and the first
  bool follow = false;                       // they come into view
};
// A file of a scene's folder while it is edited.
struct SourceEdit {
  bool open = false;
  std::string file;          // in the folder: "warp_row.cu"; of another file: it is taken anew
  std::string text;          // as it is typed
  std::string began;         // … and as it was read last
  std::string on_disk;       // another text than `began`, found there while something was typed
  bool description = false;  // scene.toml in place of the kernel
  int taken = 0;             // grows where the text was taken from the file: the field begins anew
  double looked_s = -1;      // when the file was looked at last, by ImGui's clock
  bool unsaved() const { return text != began; }
};
struct SourcePanel {
  std::string path, text_hash;  // of the file, and of the text that the lines are of
  std::vector<std::string> lines;
  SourceView view = SourceView::columns;
  // Columns that are open; where not all have room, those that were opened last are shown.
  std::vector<SourceColumn> open = {SourceColumn::ptx, SourceColumn::machine_code,
                                    SourceColumn::text};
  int heat = 1;        // what stands before the lines: 0 nothing, else 1 + index in line_figures()
  std::string header;  // of the kernel, whose text was asked for; empty: the kernel's own file
  struct Kernel {
    std::string source, entry, step;
    bool operator==(const Kernel&) const = default;
  };
  LastKey<Kernel> opened;  // the kernel that the reader was led into …
  bool led = false;        // … to its hot line, or went somewhere alone
  int chosen = 0;          // the line, from 1, that was clicked or asked for; 0: none
  int chosen_ptx = 0;      // the line of PTX, where an instruction was clicked; 0: none was
  int go_hot = 0;          // a key asked for the hottest place (1) or the next one (2)
  std::size_t hot = 0;     // how many hotter places there are than the one shown last
  int scroll_to = 0;       // the line to bring into view; 0: none
  TableFilter filter;      // what is looked for in the text …
  struct Search {
    std::string words, text_hash;
    bool operator==(const Search&) const = default;
  };
  LastKey<Search> matched;  // … as of these words and this text
  std::vector<TextMatch> matches;
  std::size_t match = 0;              // the present one
  std::vector<std::size_t> inactive;  // lines, from 0, that are not compiled …
  struct Compiled {
    std::string path, text_hash;
    std::vector<std::pair<std::string, std::string>> defines;
    bool operator==(const Compiled&) const = default;
  };
  LastKey<Compiled> inactive_of;  // … of this text with these constants
  struct Asked {
    PointId point;  // of any device
    std::string step;
    int architecture = 0;
    std::string text_hash;
    bool operator==(const Asked&) const = default;
  };
  LastKey<Asked> asked;           // the listing that was asked for last …
  LastKey<Asked> asked_baseline;  // … and that of the baseline, for a comparison
  ListedColumn ptx, machine;
  struct Compared {
    std::int64_t left = -1, right = -1, left_trace = -1, right_trace = -1;  // jobs
    bool operator==(const Compared&) const = default;
  };
  Memo<Compared, std::vector<std::string>> compared;  // what `sass --diff` prints
  std::shared_ptr<KeptStalls> stalls;                 // null: not asked for yet
  SourceEdit edit;
};
struct ComparePanel {
  TableFilter filter;
  bool sources = false;  // where there is no room for both: the texts, not the figures
  struct Texts {
    std::string path_a, hash_a, path_b, hash_b;
    bool operator==(const Texts&) const = default;
  };
  struct Rows {
    std::vector<DiffRow> all;
    std::vector<DiffStretch> stretches;
  };
  Memo<Texts, Rows> rows;
};
// Coalescing and Banks, each with one of its own.
struct RequestsPanel {
  TraceCosts costs;
  LineMultiples multiples;
  TableFilter filter;
};
// The roles of the traced block's warps and its barriers' marks, worked out once a trace.
struct BlockStory {
  BlockRoles roles;
  BarrierTimeline timeline;
};
using BlockStories = Memo<TraceKey, BlockStory>;
struct DivergencePanel {
  BlockStories story;
  bool lanes = false;        // where a launch hangs: the lanes instead of the picture of it
  bool no_barriers = false;  // the barriers' marks are folded
};
struct WarpMapPanel {
  BlockStories story;
  struct Array {
    TraceKey trace;
    std::string buffer;
    bool reads = false;
    bool operator==(const Array&) const = default;
  };
  LastKey<Array> of;  // what the accesses are of
  std::vector<ElementAccess> accesses;
  ElementSummary summary;
  MapView view;
  struct Fitted {
    Array array;
    TraceZoom zoom = {};
    std::optional<std::size_t> of_zoom;  // the warp or the request that the zoom looks at
    bool operator==(const Fitted&) const = default;
  };
  LastKey<Fitted> shown;  // what the view was fitted for
  // What is in view, made again when the view, the detail or the time shown changes.
  struct InView {
    Array array;
    MapView view;
    MapDetail detail;
    std::uint64_t until = 0;
    bool writers = false;
    bool operator==(const InView&) const = default;
  };
  LastKey<InView> in_view;
  std::vector<MapTile> tiles;
  std::vector<WriterRun> runs;  // who wrote it, of the whole grid
  int colour_by = 0;            // 0 lane, 1 warp, 2 time, 3 block
};
// The findings of a trace, worked out once per trace.
struct FindingsPanel {
  TableFilter filter;
  std::string of;
  FindingList list;
};
struct OverviewPanel {
  FindingsPanel findings;
  std::shared_ptr<KeptStalls> stalls;  // null: not asked for yet
};
// Stall reasons as bars.
struct StallsPanel {
  bool as_share = true;  // each bar is as long as all others; else warps per issued instruction
  bool all = false;      // also variants without these counters
  std::shared_ptr<KeptStalls> causes;  // of the variant in focus; null: not asked for yet
};
struct AdvicePanel {
  FindingsPanel findings;
};
struct ChoicePanel {
  TableFilter filter;
  bool deciders = false;  // where both have no room: what decides, not the candidates
  std::shared_ptr<KeptChoice> kept;
};
const FindingList& findings_once(const Trace& trace, FindingsPanel& kept);
struct StepsPanel {
  TableFilter filter;
  bool each = false;  // one row per step; else one per layer and phase, if steps have such tags
  struct MadeOf {
    std::string variant, key;
    std::uint64_t revision = 0;
    bool measured = false, each = false;
    bool operator==(const MadeOf&) const = default;
  };
  Memo<MadeOf, std::vector<StepRow>> rows;
};
struct JournalPanel {
  TableFilter filter;
  std::string hypothesis;   // being typed
  bool own = false;         // the row in focus is the person's own
  std::int64_t chosen = 0;  // its number; 0: none
};
// The launch of a kernel of a file, as it is typed.
struct LaunchPanel {
  std::string scene;
  DescriptionEdits applied;  // of the selection when the draft was begun …
  DescriptionEdits draft;    // … and what is typed
  bool run = false;          // asked for by a key
  struct Checked {
    std::string scene, hash, variant;
    DescriptionEdits draft;
    Configuration axes;
    bool operator==(const Checked&) const = default;
  };
  Memo<Checked, std::string> refusal;  // why it cannot run; empty: it can
  std::string trouble;                 // of a size that was typed
  enum class Writing { nothing, folder, launch_file };
  Writing writing = Writing::nothing;  // the dialog that is open …
  std::string path;                    // … and where it writes to
};
struct OccupancyPanel {
  TableFilter filter;
  struct Asked {
    PointId point;  // of any device
    std::string stale;
    bool operator==(const Asked&) const = default;
  };
  LastKey<Asked> asked;  // the point and text that the table was asked for last
  std::string step;      // the kernel step whose curves are shown; empty: the first
  bool table = true;     // where there is no room for both: the table, not the curves
};
struct ArticlePanel {
  // As of this session, scene and device, at this time of ImGui's.
  double at_s = 0;
  std::uint64_t revision = 0;
  std::size_t openings = 0;
  std::string scene, device, shown_device;
  std::vector<std::optional<ArticleRow>> rows;  // empty until they are made, one after another
  std::size_t next_row = 0;                     // from here on they are of an earlier revision
  std::optional<ArticleRow> judged;             // the next one, of which words are missing
  std::size_t next_source = 0;  // from this variant on its text was not looked at yet
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

// One row per panel, in the order of its tabs: the name that commands and lessons know it by, its
// title, where it stands, the key that shows it ("": none), its state, and whether it has anything
// to show in this scene. Each row names a function that its file defines:
//   void draw_<name>_panel(const PanelContext&, Selection&, <state>&);
// clang-format off
#define WARPSCOPE_PANELS(PANEL)                                                           \
  PANEL(axes,       "Axes",       left_top,    "",        AxesPanel,       in_every_scene) \
  PANEL(variants,   "Variants",   left_bottom, "",        VariantsPanel,   in_every_scene) \
  PANEL(overview,   "Overview",   centre,      "Shift+1", OverviewPanel,   in_every_scene) \
  PANEL(launch,     "Launch",     centre,      "Shift+3", LaunchPanel,     is_a_file)      \
  PANEL(exercise,   "Exercise",   centre,      "Shift+9", ExercisePanel,   is_an_exercise) \
  PANEL(findings,   "Findings",   centre,      "Shift+2", FindingsPanel,   in_every_scene) \
  PANEL(advice,     "Advice",     centre,      "Shift+4", AdvicePanel,     in_every_scene) \
  PANEL(roofline,   "Roofline",   centre,      "1",       RooflinePanel,   in_every_scene) \
  PANEL(sweep,      "Sweep",      centre,      "2",       SweepPanel,      in_every_scene) \
  PANEL(timing,     "Timing",     centre,      "3",       TimingPanel,     in_every_scene) \
  PANEL(timeline,   "Timeline",   centre,      "4",       TimelinePanel,   in_every_scene) \
  PANEL(article,    "Article",    centre,      "U",       ArticlePanel,    in_every_scene) \
  PANEL(curves,     "Curves",     centre,      "H",       CurvesPanel,     leaves_curves)  \
  PANEL(pictures,   "Pictures",   centre,      "Shift+H", PicturesPanel,   leaves_pictures) \
  PANEL(coalescing, "Coalescing", right,       "8",       RequestsPanel,   in_every_scene) \
  PANEL(banks,      "Banks",      right,       "9",       RequestsPanel,   in_every_scene) \
  PANEL(warp_map,   "Warp map",   right,       "0",       WarpMapPanel,    in_every_scene) \
  PANEL(divergence, "Divergence", right,       "G",       DivergencePanel, in_every_scene) \
  PANEL(metrics,    "Metrics",    bottom,      "5",       MetricsPanel,    in_every_scene) \
  PANEL(stalls,     "Stalls",     bottom,      "Shift+8", StallsPanel,     in_every_scene) \
  PANEL(warps,      "Warps",      bottom,      "Shift+0", WarpsPanel,      in_every_scene) \
  PANEL(choice,     "Choice",     bottom,      "Y",       ChoicePanel,     has_a_choice)   \
  PANEL(compare,    "Compare",    bottom,      "Shift+5", ComparePanel,    in_every_scene) \
  PANEL(steps,      "Steps",      bottom,      "Shift+7", StepsPanel,      in_every_scene) \
  PANEL(journal,    "Journal",    bottom,      "Shift+J", JournalPanel,    in_every_scene) \
  PANEL(source,     "Source",     bottom,      "6",       SourcePanel,     in_every_scene) \
  PANEL(occupancy,  "Occupancy",  bottom,      "Shift+6", OccupancyPanel,  in_every_scene) \
  PANEL(engine,     "Engine",     bottom,      "7",       EnginePanel,     in_every_scene)
// clang-format on

#define PANEL(name, title, region, key, State, belongs) State name;
struct PanelStates {
  WARPSCOPE_PANELS(PANEL)
};
#undef PANEL
// A type stands in no parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
#define PANEL(name, title, region, key, State, belongs) \
  void draw_##name##_panel(const PanelContext&, Selection&, State&);
WARPSCOPE_PANELS(PANEL)
#undef PANEL
// NOLINTEND(bugprone-macro-parentheses)

// The picture of this name that Pictures shows; null: none.
const Picture* picture_to_write(const SessionView& view, const std::string& name);

// The filter box of a panel's table: the `filter` of its state; null where the panel has no table.
TableFilter* table_filter(PanelStates& panels, const std::string& panel);
// Forgets what hidden panels can work out again, and nothing that a person chose or typed in them.
void forget_hidden(PanelStates& panels, const std::function<bool(const char* panel)>& is_shown);
// The views of all plots: every PlotView that a state has as `view`, or as `cold` and `warm`.
std::vector<PlotView*> plot_views(PanelStates& panels);

enum class Region { left_top, left_bottom, centre, right, bottom };

struct PanelRow {
  const char* name;   // "roofline": command line
  const char* title;  // "Roofline"
  Region region;
  const char* key;  // "1", "Shift+H": shows its tab; empty: none does
  void (*draw)(const PanelContext&, Selection&, PanelStates&);
  // Whether it has anything to show in this scene; where it has not, it has no tab.
  bool (*belongs)(const SessionView&);
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
// After a dash: if its cell is hovered, it says why there is no figure and what to do.
void explain_missing(const std::string& reason, const std::string& remedy = {});
// Why a point has no time of `cache`, in one sentence.
std::string missing_time(const PanelContext& context, const std::string& variant, CacheState cache);
// What keeps an engine from answering, and how a person ends that.
std::string delay_text(const EngineDelay& delay);
// A panel's buttons and choices; slides have no buttons. An open choice ends with ImGui::EndCombo.
bool tool_button(const char* text);
bool small_tool_button(const char* text);
bool begin_tool_combo(const char* id, const char* chosen);
void draw_note(const Style& style, const std::string& text);  // a muted sentence that wraps
// Why no kernel of a variant is known: it runs on the processor, or else `of_library` after its
// label.
std::string without_kernel(const PanelContext& context, const Variant& variant,
                           const std::string& of_library);
// The text in lines of `width`, and drawn over the width that is left: divided at spaces alone.
std::string in_lines(const std::string& text, float width);
void draw_paragraph(const std::string& text);
std::string fitting(const std::string& text, float width);  // cut with an ellipsis to `width`
// The same drawn, whole on hover. In a picture for slides all of it: smaller, or in several lines.
void draw_fitting_text(const std::string& text, float width);
const std::optional<Timing>& timing_of(const Measurement& measurement, CacheState cache);

}  // namespace warpscope
