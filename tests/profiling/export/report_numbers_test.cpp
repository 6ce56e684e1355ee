// tests/profiling/export/report_numbers_test.cpp: the numbers and the places of marks in a report
// are those of its session.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>

#include "profiling/export/report/report.h"
#include "profiling/points/point.h"
#include "profiling/session/source_standing.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

const Session& recorded() {
  static const SessionReading reading = *read_session(recorded_session("csrmm"));
  return reading.session;
}

const Report& report() {
  static const Report made = report_of(recorded());
  return made;
}

const ReportFigure& figure(const std::string& begin) {
  for (const ReportFigure& each : report().figures)
    if (each.title.starts_with(begin)) return each;
  throw std::runtime_error("there is no figure " + begin);
}

const Scene& scene() { return **recorded().catalogue().find("csrmm"); }

std::string label(const Measurement& m) {
  const Variant* variant = find_variant(scene(), m.variant);
  return variant == nullptr ? m.variant : variant->label;
}

// What may be ranked, found without the report's own code: the newest points of today's source with
// a correct output and a warm time, by problem; of each variant the fastest.
using ByVariant = std::map<std::string, const Measurement*>;
std::map<std::string, ByVariant> ranked() {
  SourceStandings sources(recorded().catalogue());
  std::map<std::string, ByVariant> found;
  for (const Measurement* m : recorded().newest_points()) {
    const Variant* variant = find_variant(scene(), m->variant);
    if (m->verdict.outcome != Outcome::correct || !m->warm || variant == nullptr) continue;
    if (variant->choice) continue;
    if (variant->expected_fault && variant->expected_fault({m->axes, m->facts})) continue;
    if (sources.of(*m).state == SourceState::changed) continue;
    const Measurement*& best = found[m->problem][m->variant];
    if (best == nullptr || m->warm->median_ns < best->warm->median_ns) best = m;
  }
  return found;
}

std::string default_problem() {
  return problem_key(scene().axes, default_configuration(scene().axes));
}

struct Shape {
  double x = 0, y = 0, width = 0;
  std::string says;
};
std::vector<Shape> bars_of(const std::string& svg) {
  const std::regex bar(
      R"re(<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"[^>]* class="\w+ bar"><title>([^<]*)<)re");
  std::vector<Shape> bars;
  for (std::sregex_iterator at(svg.begin(), svg.end(), bar), end; at != end; ++at)
    bars.push_back({std::stod((*at)[1]), std::stod((*at)[2]), std::stod((*at)[3]), (*at)[4]});
  return bars;
}

TEST(ReportNumbers, BarsAreAsLongAsTheTimesOfTheSession) {
  std::vector<const Measurement*> points;
  for (const auto& [variant, m] : ranked().at(default_problem())) points.push_back(m);
  std::sort(points.begin(), points.end(),
            [](const auto* a, const auto* b) { return a->warm->median_ns < b->warm->median_ns; });
  ASSERT_GT(points.size(), 20u);
  for (const std::string& svg : {figure("Times of").wide, figure("Times of").narrow}) {
    const std::vector<Shape> bars = bars_of(svg);
    ASSERT_EQ(bars.size(), std::min<std::size_t>(points.size(), 24));
    const double scale = bars[0].width / points[0]->warm->median_ns;
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const Timing& warm = *points[i]->warm;
      EXPECT_THAT(bars[i].says, HasSubstr(": " + format_value(warm.median_ns, "ns") + " warm"));
      EXPECT_THAT(bars[i].says, HasSubstr("noise " + format_value(warm.noise_ratio, "ratio")));
      EXPECT_NEAR(bars[i].width, warm.median_ns * scale, 1.0) << bars[i].says;
    }
  }
}

// "8.16 TFLOP/s at 0.52 FLOP/B": a mark's own words, and where it stands.
TEST(ReportNumbers, MarksOfTheRooflineStandWhereTheirWordsSay) {
  const std::regex mark(
      R"re(<(?:circle cx="([\d.]+)" cy="([\d.]+)"|polygon)[^>]*class="mark [^>]*><title>([^<]*): ([\d.]+) ([GTM])FLOP/s at ([\d.]+) FLOP/B)re");
  const std::string& svg = figure("Roofline").wide;
  std::map<std::string, double> ns;
  for (const auto& [variant, m] : ranked().at(default_problem())) {
    ns[label(*m)] = m->warm->median_ns;
  }
  std::vector<std::pair<double, double>> rates, intensities;  // logarithm, pixel
  std::size_t seen = 0;
  for (std::sregex_iterator at(svg.begin(), svg.end(), mark), end; at != end; ++at) {
    const std::smatch& found = *at;
    ++seen;
    EXPECT_EQ(ns.count(found[3]), 1u) << found[3];
    EXPECT_THAT(svg, HasSubstr(found[3].str() + ": "));
    if (!found[1].matched) continue;
    const std::map<std::string, double> prefixes = {{"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
    rates.emplace_back(std::log(std::stod(found[4]) * prefixes.at(found[5])), std::stod(found[2]));
    intensities.emplace_back(std::log(std::stod(found[6])), std::stod(found[1]));
  }
  ASSERT_GT(seen, 10u);
  for (const auto& places : {rates, intensities}) {
    if (places.size() < 3) continue;
    const auto [low, high] = std::minmax_element(places.begin(), places.end());
    if (high->first - low->first < 0.1) continue;
    const double step = (high->second - low->second) / (high->first - low->first);
    for (const auto& [logarithm, pixel] : places)
      EXPECT_NEAR(pixel, low->second + step * (logarithm - low->first), 1.5);
  }
}

TEST(ReportNumbers, NameTheFastestVariantOfEveryProblem) {
  const auto table = std::find_if(report().tables.begin(), report().tables.end(),
                                  [](const auto& t) { return t.part == ReportPart::winners; });
  ASSERT_NE(table, report().tables.end());
  std::size_t row = 0;
  std::map<std::string, std::vector<std::pair<std::string, double>>> fastest;  // by label
  std::size_t rows = 0;
  for (const auto& [problem, variants] : ranked()) {
    if (variants.size() < 2) continue;
    std::map<std::string, const Measurement*> best;  // by league
    for (const auto& [variant, m] : variants) {
      const Measurement*& first = best[league_of(*m)];
      if (first == nullptr || m->warm->median_ns < first->warm->median_ns) first = m;
    }
    for (const auto& [league, m] : best) {
      ++rows;
      fastest[label(*m)].emplace_back(league, m->warm->median_ns);
    }
  }
  EXPECT_EQ(table->rows.size(), rows);
  ASSERT_GT(table->rows.size(), 20u);
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(table->header.begin(), table->header.end(), name) -
                                    table->header.begin());
  };
  for (; row < table->rows.size(); ++row) {
    const auto& cells = table->rows[row];
    const std::string winner = cells[column("fastest")];
    const std::string name = winner.substr(0, winner.find_first_of(",("));
    const double shown_us = std::stod(cells[column("warm")]);
    const bool known = std::any_of(fastest.begin(), fastest.end(), [&](const auto& each) {
      return winner.starts_with(each.first) &&
             std::any_of(each.second.begin(), each.second.end(), [&](const auto& point) {
               return std::abs(point.second / 1e3 - shown_us) <= 0.006 * shown_us;
             });
    });
    EXPECT_TRUE(known) << winner << " " << cells[column("warm")];
  }
}

TEST(ReportNumbers, OfLinesAreTheCountersOfTheSession) {
  std::size_t compared = 0;
  for (const ReportTable& table : report().tables) {
    if (table.part != ReportPart::lines) continue;
    const Measurement* point = nullptr;
    for (const Measurement* m : recorded().newest_points()) {
      const std::string tuning = tuning_text(*m);
      const std::string name = label(*m) + (tuning.empty() ? "" : " (" + tuning + ")");
      if (m->problem == default_problem() &&
          table.title.starts_with("Lines of " + name + " (csrmm"))
        point = m;
    }
    if (point == nullptr) continue;
    for (const auto& cells : table.rows) {
      const int line = std::stoi(cells[0].substr(cells[0].find(':') + 1));
      std::int64_t sum = 0, instructions = 0;
      for (const StepRecord& step : point->steps) {
        for (const LineCount& row : step.lines.rows) {
          if (row.position.line != line ||
              !("/" + row.position.file).ends_with("/" + cells[0].substr(0, cells[0].find(':'))))
            continue;
          const bool waves = table.header[2] == "wavefronts";
          sum += row.figures[waves ? LineMetric::wavefronts : LineMetric::sectors].value_or(0);
          instructions += row.figures[LineMetric::instructions].value_or(0);
        }
      }
      EXPECT_EQ(cells[2], grouped(sum)) << table.title << " line " << line;
      EXPECT_EQ(cells[4], grouped(instructions)) << table.title << " line " << line;
      ++compared;
    }
  }
  EXPECT_GT(compared, 3u);
}

TEST(ReportNumbers, OfConditionsAreThoseOfTheSession) {
  std::map<std::string, std::string> said;
  for (const auto& row : report().conditions.rows) said[row[0]] = row[1];
  const Hello* engine = recorded().engine();
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(said["UUID"], recorded().devices().front().uuid);
  EXPECT_EQ(said["multiprocessors"], std::to_string(engine->device->multiprocessors));
  EXPECT_EQ(said["driver"], engine->driver);
  EXPECT_EQ(said["points"], grouped(static_cast<std::int64_t>(recorded().all_points().size())));
  double most_mhz = 0;
  for (const Measurement* m : recorded().all_points())
    most_mhz = std::max(most_mhz, m->conditions.sm_clock_mhz.value_or(0));
  ASSERT_GT(most_mhz, 0);
  EXPECT_THAT(said["SM clock seen"],
              HasSubstr(std::to_string(static_cast<int>(most_mhz)).substr(0, 3)));
}

TEST(ReportNumbers, ChangeWithTheSession) {
  Session session;
  for (const double ns : {1e4, 2e4}) {
    Measurement m;
    m.scene = "csrmm";
    m.variant = ns < 1.5e4 ? "float4_columns" : "warp_row_zero_test";
    m.axes = default_configuration(scene().axes);
    m.key = configuration_key(scene().axes, m.axes, m.variant);
    m.problem = problem_of(m);
    m.verdict.outcome = Outcome::correct;
    m.warm = Timing{CacheState::warm, {ns, ns, ns}};
    summarise(*m.warm);
    m.conditions.device = "first card";
    session.apply(m);
  }
  const std::vector<Shape> bars = bars_of(report_of(session).figures.front().wide);
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_THAT(bars[0].says, HasSubstr("10.00 µs warm"));
  EXPECT_NEAR(bars[1].width, 2 * bars[0].width, 0.3);
}

// Without a GPU the report says so before anything else.
TEST(ReportNumbers, WithoutAGpuAreCalledModelled) {
  Session session;
  Trace trace;
  trace.scene = "csrmm";
  trace.variant = "float4_columns";
  trace.entry = "float4_columns";
  session.apply(trace);
  const Report made = report_of(session);
  EXPECT_THAT(made.notice, HasSubstr("No GPU took part"));
  EXPECT_TRUE(made.conditions.rows.empty());
  const std::string page = html_report(made);
  EXPECT_LT(page.find("No GPU took part"), page.find("Emulated launches"));
  EXPECT_THAT(markdown_report(made), HasSubstr("No GPU took part"));
  EXPECT_EQ(report().notice, "");
}

// Nothing in a page asks for anything from elsewhere.
TEST(ReportNumbers, ComeInOneFileThatNeedsNoOther) {
  const std::string page = html_report(report());
  for (const char* word : {" src=", "url(", "@import", "<link", "<iframe", "<img"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  const std::regex elsewhere(R"re(href="[^#])re");
  EXPECT_FALSE(std::regex_search(page, elsewhere));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

}  // namespace
}  // namespace warpscope
