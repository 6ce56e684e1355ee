// tests/workbench/drawing/table_test.cpp: what every table does: filter, sort, copy, export, find
// by key.
#include "workbench/drawing/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "profiling/figures/csv_text.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TableRow row_of(const std::string& name, std::optional<double> value, const std::string& unit) {
  return {{words_cell(name), figure_cell(value, unit)}, 0};
}

TEST(Tables, FilterByTextWhateverItsCase) {
  const TableRow row = row_of("L2 hit rate", 0.97, "ratio");
  for (const char* found : {"", "  ", "l2", "HIT", " rate ", "97"})
    EXPECT_TRUE(passes(found, row, 1)) << found;
  EXPECT_FALSE(passes("dram", row, 1));
}

TEST(Tables, FilterByTheNumberInItsUnit) {
  struct Case {
    const char* filter;
    double value;
    const char* unit;
    bool passed;
  };
  constexpr Case kCases[] = {
      {"> 5", 6, "1", true},
      {"> 5", 5, "1", false},
      {">= 5", 5, "1", true},
      {"<5", 4.9, "1", true},
      {"<= 5", 5.1, "1", false},
      {"< 100 µs", 99e3, "ns", true},
      {"< 100 us", 101e3, "ns", false},
      {"> 1 ms", 1.1e6, "ns", true},
      {"> 1 s", 1.1e6, "ns", false},
      {"> 2 TB/s", 2.1e12, "B/s", true},
      {"> 2 TB/s", 2.1e12, "B", false},
      {"> 2 M", 2.1e6, "B", true},
      {"< 50 %", 0.49, "ratio", true},
      {"< 50 %", 0.51, "ratio", false},
      {"> 50 %", 51, "%", true},
      {"> 50 %", 49, "%", false},
      {"> 50 %", 51, "1", false},
      {"> 1 GFLOP/s", 2e9, "FLOP/s", true},
      {">", 1, "1", true},
      // A bare number is compared with what is shown: 21.41 µs, 60.00 %, 67.11 MB.
      {"> 50", 21410, "ns", false},
      {"> 20", 21410, "ns", true},
      {"> 50", 0.6, "ratio", true},
      {"< 50", 67.11e6, "B", false},
      {"> 50", 1.2e6, "1", true},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(passes(c.filter, row_of("a", c.value, c.unit), 1), c.passed)
        << c.filter << " for " << c.value << " " << c.unit;
  }
  EXPECT_FALSE(passes("< 5", row_of("a", std::nullopt, "1"), 1)) << "a missing value is no number";
  EXPECT_TRUE(passes("> x", row_of("a > x", std::nullopt, ""), 1)) << "no number: text";
}

TEST(Tables, MakeCellsOnlyWhereSomethingNeedsThem) {
  std::vector<std::size_t> made_of;
  const auto made = [&](std::size_t index) {
    made_of.push_back(index);
    TableRow row = row_of("row", 10.0 * static_cast<double>(index), "1");
    row.index = index;
    return row;
  };
  std::vector<TableRow> rows = rows_that_pass("", 1, 3, made);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_TRUE(made_of.empty()) << "nothing is asked of them";
  make_row(rows[1], made);
  make_rows(rows, made);
  EXPECT_EQ(made_of, (std::vector<std::size_t>{1, 0, 2})) << "each once";
  rows = rows_that_pass("> 5", 1, 3, made);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].index, 1U);
  EXPECT_EQ(rows[1].cells.at(1).value, 20);
}

TEST(Tables, TimesOfAColumnHaveOneUnit) {
  std::vector<TableRow> rows = {row_of("a", 3.604e6, "ns"), row_of("b", 21410, "ns"),
                                row_of("c", std::nullopt, "ns"), row_of("d", 7, "1")};
  in_one_time_unit(rows, 1);
  EXPECT_EQ(rows[0].cells[1].text, "3604 µs");
  EXPECT_EQ(rows[1].cells[1].text, "21.41 µs");
  EXPECT_EQ(rows[2].cells[1].text, "–");
  EXPECT_EQ(rows[3].cells[1].text, "7");
  EXPECT_TRUE(passes("> 50", rows[0], 1));
  EXPECT_FALSE(passes("> 50", rows[1], 1));
}

TEST(Tables, SortNumbersBeforeWordsAndKeepWhatIsEqual) {
  std::vector<TableRow> rows = {row_of("b", 2, "1"), row_of("a", std::nullopt, "1"),
                                row_of("c", 1, "1"), row_of("d", 2, "1")};
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].index = i;
  const auto order = [&] {
    std::string names;
    for (const TableRow& row : rows) names += row.cells[0].text;
    return names;
  };
  sort_rows(rows, 1, true);
  EXPECT_EQ(order(), "cbda");
  sort_rows(rows, 1, false);
  EXPECT_EQ(order(), "bdca");
  sort_rows(rows, 0, true);
  EXPECT_EQ(order(), "abcd");
}

TEST(Tables, ExportWhatTheyShowWithBareNumbersAndUnits) {
  const TableColumn columns[] = {{"name", ""}, {"time", "ns"}};
  const std::vector<TableRow> rows = {row_of("a, \"b\"", 118800, "ns"),
                                      row_of("c", std::nullopt, "ns")};
  const auto cells = parse_csv(table_csv(columns, rows));
  ASSERT_TRUE(cells) << sentence(cells.error());
  const std::vector<std::vector<std::string>> expected = {
      {"name", "time", "time unit"}, {"a, \"b\"", "118800", "ns"}, {"c", "", ""}};
  EXPECT_EQ(*cells, expected);
}

std::unique_ptr<Workspace> two_variants() {
  return sample::recorded({sample::roofs(), sample::correct(sample::baseline, 240e3),
                           sample::correct(sample::focus, 120e3)});
}

void type(TableFilter& filter, const char* text) {
  std::snprintf(filter.text, sizeof filter.text, "%s", text);
}

TEST(Tables, OfVariantsAndMetricsFilterByTheirFigures) {
  NullWindow window;
  auto workspace = two_variants();
  type(window.panels.variants.filter, "< 200 µs");
  std::string words = window.panel(*workspace, "variants");
  EXPECT_THAT(words, HasSubstr("float4 columns"));
  EXPECT_THAT(words, Not(HasSubstr("warp-row zero test")));
  type(window.panels.variants.filter, "no such");
  EXPECT_THAT(window.panel(*workspace, "variants"), HasSubstr("No variant passes the filter"));
  type(window.panels.metrics.filter, "dram__bytes");
  words = window.panel(*workspace, "metrics");
  EXPECT_THAT(words, HasSubstr("DRAM bytes read"));
  EXPECT_THAT(words, Not(HasSubstr("L2 bytes")));
  type(window.panels.metrics.filter, "> 600 MB");
  words = window.panel(*workspace, "metrics");
  EXPECT_THAT(words, HasSubstr("L2 bytes"));
  EXPECT_THAT(words, Not(HasSubstr("DRAM bytes read")));
}

// Where the words of a row stand, found by its tooltip.
TEST(Tables, ARightClickCopiesACellItsValueAndTheRow) {
  NullWindow window;
  auto workspace = two_variants();
  const auto draw = [&] { return window.panel(*workspace, "metrics"); };
  ASSERT_THAT(window.panel_under(*workspace, "metrics", "Bytes read from device memory"),
              HasSubstr("Bytes read from device memory"));
  window.hold_mouse(1, true);
  draw();
  window.hold_mouse(1, false);
  EXPECT_THAT(draw(), HasSubstr("copy “DRAM bytes read”"));
  EXPECT_THAT(draw(), HasSubstr("copy the row"));
  EXPECT_THAT(draw(), HasSubstr("copy CUPTI's name"));
  EXPECT_THAT(draw(), HasSubstr("export the rows as CSV"));
}

// A whole window in a folder of its own, where exports go.
class TableKeys : public testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    folder_ =
        std::filesystem::temp_directory_path() / ("warpscope-tables-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  void press_control(NullWindow& window, Workspace& workspace, char letter) {
    window.hold_control(true);
    window.hold(letter, true);
    window.window(workspace);
    window.hold(letter, false);
    window.hold_control(false);
    window.window(workspace);
  }
  std::filesystem::path before_, folder_;
};

TEST_F(TableKeys, ControlEWritesTheRowsThatAreShown) {
  NullWindow window(1600, 900);
  auto workspace = two_variants();
  type(window.panels.metrics.filter, "> 600 MB");
  window.window(*workspace);
  press_control(window, *workspace, 'E');
  std::ifstream file("warpscope-metrics.csv");
  std::stringstream text;
  text << file.rdbuf();
  const auto rows = parse_csv(text.str());
  ASSERT_TRUE(rows) << sentence(rows.error());
  ASSERT_EQ(rows->size(), 3u) << text.str();  // the header, L2 bytes, modelled L1 bytes
  EXPECT_EQ((*rows)[1][0], "L2 bytes");
  EXPECT_DOUBLE_EQ(std::stod((*rows)[1][1]), 700e6);
  EXPECT_EQ((*rows)[1][2], "B");
}

TEST_F(TableKeys, AnExportOverwritesNothingAndSaysWhereItIs) {
  NullWindow window(1600, 900);
  auto workspace = two_variants();
  std::ofstream("warpscope-metrics.csv") << "mine";
  window.window(*workspace);
  press_control(window, *workspace, 'E');
  std::ifstream file("warpscope-metrics.csv");
  std::string kept;
  std::getline(file, kept);
  EXPECT_EQ(kept, "mine");
  EXPECT_TRUE(std::filesystem::exists("warpscope-metrics-2.csv"));
  ASSERT_FALSE(window.state.notices.shown.empty());
  EXPECT_THAT(window.state.notices.shown.back().words,
              HasSubstr("warpscope-metrics-2.csv to " + std::filesystem::current_path().string()));
}

TEST_F(TableKeys, ControlFGoesToTheFilterUnderThePointerElseToMetrics) {
  NullWindow window(1600, 900);
  auto workspace = two_variants();
  window.window(*workspace);
  const Box ladder = window.state.last_boxes.at("variants");
  window.move_mouse((ladder.x0 + ladder.x1) / 2, (ladder.y0 + ladder.y1) / 2);
  for (const char* expected : {"variants", "metrics"}) {
    bool reached = false;
    window.hold_control(true);
    window.hold('F', true);
    window.frame([&] {
      for (const Command& command : all_commands()) {
        if (std::string(command.name) == "find" && command.pressed())
          command.act(*workspace, window.panels, window.state);
      }
      reached = table_filter(window.panels, expected)->focus;
    });
    EXPECT_TRUE(reached) << expected;
    window.hold('F', false);
    window.hold_control(false);
    window.window(*workspace);
    EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "the cursor is in the box of " << expected;
    window.move_mouse(800, 10);
    window.window(*workspace);
  }
}

}  // namespace
}  // namespace warpscope
