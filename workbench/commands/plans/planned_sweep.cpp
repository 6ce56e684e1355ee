// workbench/commands/plans/planned_sweep.cpp: `warpscope sweep` of a plan, by the devices of one
// machine.
#include "workbench/commands/plans/planned_sweep.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiling/plans/plan_costs.h"
#include "profiling/plans/plan_progress.h"
#include "scenes/base/plural.h"
#include "scenes/host/clock.h"
#include "scenes/host/program.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/plans/device_team.h"

namespace warpscope {
namespace {

using nlohmann::json;

// A date that is later than now was made by a clock that is wrong: this machine's or the other's.
Result<void> check_clock(std::int64_t date_s, const std::string& what, const std::string& path) {
  constexpr std::int64_t kToleratedS = 300;
  const auto ahead = date_s - seconds_of_date(now_utc()).value_or(date_s);
  if (ahead <= kToleratedS) return {};
  return failure(ErrorKind::environment,
                 what + " is dated " + duration_text(static_cast<double>(ahead)) +
                     " after this machine's clock, which says " + now_utc(),
                 path, "set the clocks of both machines (timedatectl set-ntp true)");
}

// Leaves out jobs that the session has answers to.
std::vector<PlannedPoint> without(std::vector<PlannedPoint> points, const PlanProgress& progress) {
  for (PlannedPoint& point : points)
    std::erase_if(point.jobs, [&](const Job& job) { return progress.answered.contains(job.tag); });
  std::erase_if(points, [](const PlannedPoint& point) { return point.jobs.empty(); });
  return points;
}

struct Sweeping {
  std::string session;
  std::size_t all = 0, before = 0;  // points of the chunk, and those that were there already
  TeamResult result;
  double seconds = 0;
};

// The command that goes on with the sweep.
std::string again(const PlannedSweep& sweep) {
  std::string words = "warpscope sweep --resume " + shell_word(sweep.plan);
  for (const auto& [option, value] :
       {std::pair(" --chunk ", &sweep.chunk), std::pair(" --devices ", &sweep.devices),
        std::pair(" --ssh ", &sweep.ssh), std::pair(" --session ", &sweep.session)}) {
    if (!value->empty()) words += option + shell_word(*value);
  }
  for (const std::string& option : options_of(sweep.engine)) words += " " + shell_word(option);
  return words;
}

// The same for whoever reads the state of the sweep, in any folder.
SweepState state_of(PlannedSweep sweep, const std::string& session) {
  SweepState state;
  sweep.plan = std::filesystem::absolute(sweep.plan).string();
  if (!sweep.session.empty()) sweep.session = std::filesystem::absolute(session).string();
  state.command = again(sweep);
  state.plan = sweep.plan;
  state.chunk = sweep.chunk;
  state.wanted_devices = sweep.devices;
  state.ssh = sweep.ssh;
  return state;
}

void print(const Sweeping& done) {
  const auto signed_size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  std::string outcomes;
  for (const auto& [outcome, count] : done.result.outcomes)
    outcomes += (outcomes.empty() ? "" : ", ") + std::to_string(count) + " " + to_text(outcome);
  std::printf("%s: %zu of %s", visible_name(done.session).c_str(), done.all - done.result.left,
              plural(signed_size(done.all), "point").c_str());
  if (done.before > 0) std::printf(", %zu of them from before", done.before);
  std::printf("; %s\n", duration_text(done.seconds).c_str());
  if (!outcomes.empty()) std::printf("verdicts: %s\n", outcomes.c_str());
  for (const DeviceShare& share : done.result.shares) {
    std::printf("%s: %s", visible_name(share.name).c_str(), plural(share.points, "point").c_str());
    if (share.deaths > 0) std::printf(", its engine died %s", plural(share.deaths, "time").c_str());
    std::printf("\n");
  }
}

json json_of(const Sweeping& done) {
  json devices = json::array(), outcomes = json::object();
  for (const DeviceShare& share : done.result.shares)
    devices.push_back({{"name", share.name}, {"points", share.points}, {"deaths", share.deaths}});
  for (const auto& [outcome, count] : done.result.outcomes) outcomes[to_text(outcome)] = count;
  return {{"session", done.session},  {"points", done.all},      {"before", done.before},
          {"left", done.result.left}, {"seconds", done.seconds}, {"verdicts", outcomes},
          {"devices", devices}};
}

int finish(const PlannedSweep& sweep, const Sweeping& done) {
  const bool nothing = done.result.error && done.result.left == done.all;  // one sentence says all
  if (sweep.json && !nothing) {
    std::printf("%s\n", json_of(done).dump(2, ' ', false, json::error_handler_t::replace).c_str());
  } else if (!nothing) {
    print(done);
  }
  int status = done.result.findings ? 1 : 0;
  if (!done.result.error) return status;
  Error error = *done.result.error;
  if (done.result.left > 0)
    error.remedy +=
        (error.remedy.empty() ? "" : "; ") + std::string("then go on with `") + again(sweep) + "`";
  return std::max(status, done.result.said ? exit_status(error.kind) : fail(error));
}

}  // namespace

Result<ChunkNumber> parse_chunk(const std::string& text) {
  ChunkNumber chunk;
  if (text.empty()) return chunk;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, chunk.number);
  const bool slash = number.ec == std::errc() && number.ptr != end && *number.ptr == '/';
  const auto count = slash ? std::from_chars(number.ptr + 1, end, chunk.count) : number;
  const bool good = slash && count.ec == std::errc() && count.ptr == end && chunk.number >= 1 &&
                    chunk.number <= chunk.count;
  if (good) return chunk;
  return failure(ErrorKind::usage, "“" + text + "” is not a chunk", "--chunk",
                 "write, for example, 3/8 for the third of eight");
}

std::string session_of_plan(const std::string& plan, const std::string& chunk) {
  std::string words = chunk;
  if (const std::size_t slash = words.find('/'); slash != std::string::npos)
    words.replace(slash, 1, "-of-");
  std::filesystem::path path = plan;
  path.replace_extension();
  return path.string() + (words.empty() ? "" : "-" + words) + ".wsj";
}

int run_planned_sweep(const PlannedSweep& sweep) {
  const auto chunk = parse_chunk(sweep.chunk);
  if (!chunk) return fail(chunk.error());
  const auto devices = parse_devices(sweep.devices, sweep.ssh, sweep.engine);
  if (!devices) return fail(devices.error());
  const auto catalogue = program_catalogue();
  const Result<Plan> plan = read_plan_to_run(*catalogue, sweep.plan);
  if (!plan) return fail(plan.error());
  const auto timely = check_clock(seconds_of_date(plan->date).value_or(0), "the plan", sweep.plan);
  if (!timely) return fail(timely.error());
  auto points = planned_points(*catalogue, *plan, chunk_of(*plan, chunk->number, chunk->count),
                               sweep.engine, devices->emulators > 0);
  if (!points) return fail(points.error());
  Sweeping done;
  done.session = sweep.session.empty() ? session_of_plan(sweep.plan, sweep.chunk) : sweep.session;
  const auto file = session_option(done.session, catalogue);
  if (!file) return fail(file.error());
  const auto progress = plan_progress(done.session);
  if (!progress) return fail(progress.error());
  const auto sane = check_clock(progress->newest_date_s, "its newest point", done.session);
  if (!sane) return fail(sane.error());
  done.all = points->size();
  *points = without(std::move(*points), *progress);
  done.before = done.all - points->size();
  const auto begun = std::chrono::steady_clock::now();
  if (!points->empty()) {
    std::vector<Job> jobs;
    for (const PlannedPoint& point : *points)
      jobs.insert(jobs.end(), point.jobs.begin(), point.jobs.end());
    if (const auto there = check_sources(*catalogue, jobs); !there) return fail(there.error());
    if (sweep.engine.host.empty()) say_where_there_is_no_cache();
    DeviceTeam team({catalogue, **file, *devices, sweep.engine, plan->version, sweep.roofs,
                     state_of(sweep, done.session), done.before},
                    std::move(*points));
    done.result = team.run();
  }
  done.seconds = seconds_since(begun);
  return finish(sweep, done);
}

}  // namespace warpscope
