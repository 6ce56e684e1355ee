// tests/fuzz/budget_test.cpp: what was made small to become large is refused or read within 1 GB
// and 5 s.
#include "tests/fuzz/budget.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "profiling/export/export.h"
#include "profiling/messages/packed_text.h"
#include "profiling/messages/protocol.h"
#include "profiling/session/session.h"
#include "scenes/host/matrix_market.h"
#include "scenes/led/frame_files.h"
#include "tests/fuzz/mutation.h"
#include "tests/fuzz/png_of.h"
#include "workbench/lessons/lesson.h"

namespace warpscope {
namespace {

// `part` as often as it fits, between `head` and `tail`.
std::string filled(const std::string& head, const std::string& part, const std::string& tail,
                   std::size_t bytes = most_input_bytes) {
  std::string text = head;
  text.reserve(bytes + tail.size());
  while (text.size() + part.size() + tail.size() <= bytes) text += part;
  return text + tail;
}

// The same where each part is made of its number.
template <typename Part>
std::string numbered(Part part, std::size_t bytes = most_input_bytes) {
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i) text += part(std::to_string(i));
  text.resize(bytes);
  text.resize(text.rfind('\n') + 1);
  return text;
}

class Budget : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("warpscope_budget_" + std::to_string(std::random_device{}()) + ".wsj");
  }
  void TearDown() override { std::filesystem::remove(path_); }
  // Everything that a command does with a session before it draws.
  void expect_session(const std::string& what, const std::string& bytes) const {
    ASSERT_LE(bytes.size(), static_cast<std::size_t>(most_input_bytes)) << what;
    std::ofstream(path_, std::ios::binary) << bytes;
    expect_within_budget(what, [this] {
      if (const Result<SessionReading> reading = read_session(path_)) {
        static_cast<void>(reading->session.all_points());
        static_cast<void>(tidy_csv(reading->session));
      }
    });
  }
  std::filesystem::path path_;
};

const std::string kHello = R"({"type":"hello","role":"workbench"})";
const std::string kTrace = R"({"type":"trace","launch":{"grid":[1,1,1],"block":[1024,1,1]},)";

TEST_F(Budget, LinesOfASession) {
  expect_session("a list of zeros", filled(kHello + "\n{\"x\":[0", ",0", "]}\n"));
  expect_session("lists in lists", filled(kHello + "\n", "[", ""));
  expect_session("empty objects", filled(kHello + "\n{\"x\":[{}", ",{}", "]}\n"));
  expect_session("lines that are none", filled(kHello + "\n", "x\n", ""));
  expect_session("empty lines", filled(kHello + "\n", "\n", ""));
  expect_session("a line without end", filled(kHello + "\n", "a", ""));
  expect_session("messages of nothing", filled(kHello + "\n", "{\"type\":\"\"}\n", ""));
  expect_session("points", numbered([](const std::string& i) {
                   return R"({"type":"measurement","key":")" + i + "\"}\n";
                 }));
  expect_session("points of one key", filled("", "{\"type\":\"measurement\"}\n", ""));
  expect_session("traces of one step each", numbered([](const std::string& i) {
                   return kTrace + "\"step\":\"" + i + "\"}\n";
                 }));
  expect_session("timelines", numbered([](const std::string& i) {
                   return R"({"type":"timeline","key":")" + i + "\"}\n";
                 }));
  expect_session("jobs", filled("", "{\"type\":\"job\"}\n", ""));
}

TEST_F(Budget, ListsOfAMessage) {
  const std::string point = R"({"type":"measurement",)";
  for (const auto& [name, row] :
       std::vector<std::pair<std::string, std::string>>{{"steps", "{}"}, {"metrics", "{}"}}) {
    expect_session(name, filled(point + "\"" + name + "\":[" + row, "," + row, "]}\n"));
  }
  expect_session("samples", filled(point + R"("warm":{"samples_ns":[1)", ",1", "]}}\n"));
  for (const std::string list : {"buffers", "sites", "lines", "faults", "writers", "metrics"})
    expect_session("trace: " + list, filled(kTrace + "\"" + list + "\":[{}", ",{}", "]}\n"));
  expect_session("requests", filled(kTrace + "\"sites\":[{}],\"requests\":[[0,0,0,-1,0,1]",
                                    ",[0,0,1,-1,0,1]", "]}\n"));
  expect_session("warps", filled(kTrace + "\"issued\":[[]", ",[]", "]}\n"));
  // Each trace may have so many instructions; the session must not have them all.
  std::string large = kHello + "\n";
  for (int i = 0; large.size() < 1'900'000; ++i) {
    large +=
        kTrace + "\"step\":\"" + std::to_string(i) + R"(","issued":[[[0,4000000,-1]]]})" + "\n";
  }
  expect_session("instructions of many traces", large);
  expect_session("elements that blocks wrote",
                 filled(kTrace + R"("writers":[{"buffer":"c","runs":[1000000,1]})",
                        R"(,{"buffer":"c","runs":[1000000,1]})", "]}\n"));
}

// Packed to a thousandth: as much text as fits the limit for it.
TEST_F(Budget, PackedSessions) {
  constexpr std::size_t kUnpacked = 1 << 30;
  const auto bomb = [&](const std::string& head, const std::string& part) {
    const std::string member = *pack(filled("", part, "", 4 << 20));
    std::string all = *pack(head);
    for (std::size_t text = 0; text < kUnpacked && all.size() + member.size() < most_input_bytes;
         text += 4 << 20) {
      all += member;
    }
    return all;
  };
  expect_session("packed: a list of zeros", bomb(kHello + "\n{\"x\":[0", ",0"));
  expect_session("packed: objects", bomb(kHello + "\n{\"x\":[0", ",{}"));
  expect_session("packed: lines that are none", bomb(kHello + "\n", "x\n"));
  expect_session("packed: empty lines", bomb(kHello + "\n", "\n"));
  expect_session("packed: points", bomb(kHello + "\n", "{\"type\":\"measurement\"}\n"));
  expect_session("packed: points with metrics",
                 bomb(kHello + "\n", R"({"type":"measurement","metrics":[{},{},{},{},{},{},{}]})"
                                     "\n"));
  expect_session("packed: jobs", bomb(kHello + "\n", "{\"type\":\"job\"}\n"));
  expect_session("packed: objects with a member", bomb(kHello + "\n", "{\"a\":{}}\n"));
  expect_session("packed: lists of requests",
                 bomb(kHello + "\n" + kTrace + "\"requests\":[[0,0,0,-1,0,1]", ",[0,0,1,-1,0,1]"));
  // Just within the limit of 32 times the file: what is read in full.
  std::mt19937_64 random(1);
  std::string whole = kHello + "\n";
  while (whole.size() < 20'000'000) {
    whole += R"({"type":"measurement","scene":"csrmm","variant":"v","key":")" +
             std::to_string(random() % 1000) +
             R"(","warm":{"samples_ns":[1000,1001,1002]},"metrics":[{"id":"a","value":1.5}]})"
             "\n";
  }
  expect_session("packed: an honest session", *pack(whole));
  std::string traces = kHello + "\n";
  for (int i = 0; traces.size() < 10'000'000; ++i)
    traces += kTrace + "\"step\":\"" + std::to_string(i) + "\"}\n";
  expect_session("packed: traces of one step each", *pack(traces));
}

TEST_F(Budget, PicturesOfManyPixels) {
  const auto expect_picture = [](const std::string& what, const std::string& bytes) {
    ASSERT_LE(bytes.size(), static_cast<std::size_t>(most_input_bytes)) << what;
    expect_within_budget(what, [&bytes] {
      static_cast<void>(led::parse_picture(std::as_bytes(std::span(bytes)), "bomb.png"));
    });
  };
  expect_picture("16384 × 16384 pixels", png_of(16384, 16384, 4));
  expect_picture("5792 × 5792 pixels, within the limit", png_of(5792, 5792, 4));
  expect_picture("one pixel that unpacks to a gigabyte", png_of(1, 1, 4, 1 << 30));
  expect_picture("a header of PPM alone", "P6\n16384 16384\n255\n");
}

TEST_F(Budget, MatricesOfManyRows) {
  const auto expect_matrix = [](const std::string& what, const std::string& text) {
    ASSERT_LE(text.size(), static_cast<std::size_t>(most_input_bytes)) << what;
    expect_within_budget(what,
                         [&text] { static_cast<void>(parse_matrix_market(text, "bomb.mtx")); });
  };
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  const std::string pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n";
  expect_matrix("rows without entries", real + "2000000000 1 0\n");
  expect_matrix("columns without entries", real + "1 2000000000 0\n");
  expect_matrix("entries that are not there", real + "1000 1000 1000000000\n");
  expect_matrix("a full array that is not there",
                "%%MatrixMarket matrix array real general\n1000000 1000000\n1\n");
  expect_matrix("short entries", filled(pattern + "490000 490000 490000\n", "2 1\n", ""));
  expect_matrix("comments", filled(real, "%\n", ""));
  expect_matrix("a line of words", filled(real + "1 1 1\n", "1 ", ""));
}

TEST_F(Budget, Lessons) {
  const auto expect_lesson = [](const std::string& what, const std::string& text) {
    ASSERT_LE(text.size(), static_cast<std::size_t>(most_input_bytes)) << what;
    expect_within_budget(what, [&text] { static_cast<void>(parse_lesson(text, "bomb.json")); });
  };
  const std::string head = R"({"title":"","scene":"csrmm","steps":[)";
  expect_lesson("steps", filled(head + "{}", ",{}", "]}"));
  expect_lesson("steps of lists", filled(head, "[", ""));
  expect_lesson("axes",
                numbered(
                    [&](const std::string& i) {
                      return (i == "0" ? head + R"({"axes":{"a":"b")" : ",\"" + i + "\":\"1\"\n");
                    },
                    most_input_bytes - 100) +
                    "}}]}");
}

TEST(MutationDeathTest, ACaseThatDoesNotEndIsEndedAndNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        case_now = 1234;
        end_process_after(0.05);
        while (processor_s() < 60) {
        }
      },
      testing::ExitedWithCode(1), "case 1234 does not end");
}

}  // namespace
}  // namespace warpscope
