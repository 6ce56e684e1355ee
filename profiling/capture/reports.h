// profiling/capture/reports.h: what the injected library tells `warpscope capture`, one
// line of JSON per report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "profiling/capture/requests.h"
#include "profiling/capture/tally.h"

namespace warpscope {

struct StartReport {
  std::int64_t process = 0;
  std::vector<std::string> program;  // its command line
};
struct LaunchesReport {
  std::int64_t process = 0;
  std::vector<TallyRow> rows;  // sums since the start
  std::int64_t graph_launches = 0;
  std::vector<LaunchSpan> spans;  // timed since the last report
};
struct TakenReport {
  std::string file, name, range;
  std::int64_t number = 0;  // of this kernel in its process, from 1
  std::uint64_t file_bytes = 0;
  double held_ms = 0;
  std::int64_t request = 0;  // that it answers; 0: it was chosen before the start
  std::string symbol;
};
struct RefusedReport {
  std::string name;
  std::int64_t number = 0;
  std::string why, remedy;
  std::int64_t request = 0;
};
// A launch that is being saved.
struct ProgressReport {
  std::string name;
  std::int64_t request = 0;
  std::uint64_t done_bytes = 0, of_bytes = 0;  // of memory, before and after together
};
// The library cannot do its work in this program.
struct TroubleReport {
  std::string why, remedy;
};
// What a person should know, and nothing stops for.
struct NoteReport {
  std::string words;
};
struct EndReport {};
using CaptureReport = std::variant<StartReport, LaunchesReport, TakenReport, RefusedReport,
                                   ProgressReport, TroubleReport, NoteReport, EndReport>;

std::string report_line(const CaptureReport& report);  // ends in a newline
// No value: the line is not one of report_line.
std::optional<CaptureReport> report_of(const std::string& line);

// The socket of the command. Nothing here waits for the command, except `close`, for 2 s.
class Reports {
 public:
  Reports() = default;
  ~Reports();
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  bool open(const std::string& socket);
  bool is_open() const { return descriptor_ >= 0; }
  void send(const CaptureReport& report);
  // What the command has asked for since the last call.
  std::vector<CaptureRequest> received();
  void close();
  // After a fork: the child says nothing.
  void forget();

 private:
  void flush(int wait_ms);
  int descriptor_ = -1;
  std::string pending_, asked_;
};

}  // namespace warpscope
