// workbench/commands/plans/device_team.cpp: engines, one per device, that measure points of a plan
// together.
#include "workbench/commands/plans/device_team.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include "profiling/export/verdicts.h"
#include "profiling/plans/plan_progress.h"
#include "profiling/plans/visible_devices.h"
#include "profiling/points/point.h"
#include "scenes/base/plural.h"
#include "scenes/catalogue.h"
#include "scenes/host/clock.h"
#include "scenes/host/write_file.h"
#include "workbench/client/end_signals.h"

namespace warpscope {
namespace {

constexpr std::size_t kNoPoint = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMostMembers = 64;
constexpr int kMostAttempts = 2;

std::vector<double> weights_of_points(const std::vector<PlannedPoint>& points) {
  std::vector<double> weights;
  weights.reserve(points.size());
  for (const PlannedPoint& point : points) weights.push_back(point.weight);
  return weights;
}

}  // namespace

namespace {

tl::unexpected<Error> wrong_devices(const std::string& text, const std::string& what) {
  return failure(ErrorKind::usage, what, "--devices " + text,
                 "write all, numbers such as 0,1, or emulated,emulated");
}

std::vector<std::string> words_between_commas(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

// The device numbers of a list, or how often it says "emulated".
Result<void> take_devices(const std::string& text, DeviceList& list) {
  std::set<int> seen;
  for (const std::string& word : words_between_commas(text)) {
    int device = 0;
    const char* const end = word.data() + word.size();
    const auto [last, bad] = std::from_chars(word.data(), end, device);
    if (word == "emulated") {
      ++list.emulators;
    } else if (word.empty() || bad != std::errc() || last != end || device < 0) {
      return wrong_devices(text, "“" + word + "” is not a device");
    } else if (!seen.insert(device).second) {
      return wrong_devices(text, "device " + word + " is named twice");
    } else {
      list.devices.push_back(device);
    }
  }
  return {};
}

}  // namespace

Result<DeviceList> parse_devices(const std::string& text, const std::string& ssh,
                                 const EngineChoice& engine) {
  DeviceList list;
  if (!ssh.empty() && !engine.host.empty())
    return failure(ErrorKind::usage, "--ssh and --host both name a machine", ssh,
                   "leave out --host");
  list.hosts = ssh.empty() ? std::vector<std::string>{engine.host} : words_between_commas(ssh);
  std::set<std::string> seen;
  for (const std::string& host : list.hosts) {
    if (!ssh.empty() && (host.empty() || host.front() == '-' || !seen.insert(host).second))
      return failure(ErrorKind::usage, "“" + host + "” is not another host", "--ssh " + ssh,
                     "write, for example, gpu1,user@gpu2");
  }
  if (text == "all" || (text.empty() && !ssh.empty())) {
    list.all = true;
  } else if (text.empty()) {
    list.devices = {engine.device};
  } else if (Result<void> taken = take_devices(text, list); !taken) {
    return tl::unexpected(taken.error());
  }
  if (list.emulators > 0 && !list.devices.empty())
    return wrong_devices(text, "a sweep is either emulated or measured");
  if (list.emulators > 0 && !list.hosts.front().empty())
    return wrong_devices(text, "emulation runs on this machine");
  if (list.emulators + list.hosts.size() * (list.all ? 1 : list.devices.size()) > kMostMembers)
    return wrong_devices(text, "a sweep uses at most " + std::to_string(kMostMembers) + " devices");
  return list;
}

DeviceTeam::DeviceTeam(TeamOptions options, std::vector<PlannedPoint> points)
    : options_(std::move(options)),
      points_(std::move(points)),
      attempts_(points_.size(), 0),
      pool_(weights_of_points(points_)),
      wrong_(options_.catalogue),
      all_weight_(pool_.waiting_weight()) {
  members_.reserve(kMostMembers);  // references to them stay
  for (std::size_t at = 0; at < options_.devices.emulators; ++at) add_emulator();
  for (const std::string& host : options_.devices.hosts) {
    for (const int device : options_.devices.devices) add_member(host, device, false);
    if (options_.devices.all) add_devices(host);
  }
}

void DeviceTeam::add_member(const std::string& host, int device, bool optional) {
  EngineChoice choice = options_.engine;
  choice.device = device;
  choice.host = host;
  if (options_.devices.all || options_.devices.devices.size() > 1) choice.device_uuid.clear();
  Member member;
  member.name = (host.empty() ? "" : host + " ") + "device " + std::to_string(device);
  member.share.name = member.name;
  member.host = host;
  member.device = device;
  member.optional = optional;
  member.client = std::make_unique<EngineClient>(engine_command(choice), RestartPacing{}, numbers_,
                                                 options_.catalogue);
  member.client->start();
  members_.push_back(std::move(member));
}

void DeviceTeam::add_devices(const std::string& host) {
  std::size_t begun = 0, ready = 0;
  bool last = false;  // a number without a device was found
  for (const Member& member : members_) {
    if (member.host != host) continue;
    ++begun;
    ready += member.ready ? 1 : 0;
    last = last || (member.gone && member.optional);
  }
  // Where their number is not known, each engine that answers lets two more begin.
  const auto known = host.empty()
                         ? most_devices(driver_files("/dev"), std::getenv("CUDA_VISIBLE_DEVICES"))
                         : std::nullopt;
  const std::size_t wanted = std::max<std::size_t>(1, known.value_or(1 + 2 * ready));
  for (; !last && begun < wanted && members_.size() < kMostMembers; ++begun)
    add_member(host, static_cast<int>(begun), begun > 0);
}

void DeviceTeam::add_emulator() {
  Member member;
  member.name = "emulator " + std::to_string(members_.size() + 1);
  member.share.name = member.name;
  member.client = std::make_unique<EngineClient>(emulator_command(options_.engine), RestartPacing{},
                                                 numbers_, options_.catalogue);
  member.client->start();
  members_.push_back(std::move(member));
}

void DeviceTeam::keep(const Message& message) {
  if (not_kept_) return;
  if (Result<void> kept = options_.file.append(message); !kept) not_kept_ = kept.error();
}

void DeviceTeam::submit(Member& member, std::size_t point) {
  for (const Job& wanted : points_[point].jobs) {
    Given given{point, wanted};
    given.job.job = member.client->submit(wanted);
    member.given.emplace(given.job.job, std::move(given));
  }
}

void DeviceTeam::deal(Member& member) {
  constexpr std::size_t kAhead = 2;  // so that the next one is compiled while one is measured
  if (!member.ready || member.gone || member.given.size() >= kAhead) return;
  for (const std::size_t point : pool_.take(active())) submit(member, point);
}

// Others get its points.
void DeviceTeam::leave(Member& member, const Error& why) {
  member.gone = true;
  std::set<std::size_t> points;
  for (const auto& [job, given] : member.given) points.insert(given.point);
  for (const std::size_t point : points) {
    if (point != kNoPoint) pool_.give_back(point);
  }
  member.given.clear();
  member.doing = why.what;
  if (member.optional) return;
  last_trouble_ = why;
  said_ = active() > 0;  // else at the end
  if (said_) display_.say(sentence(why));
}

void DeviceTeam::take_hello(Member& member, const Hello& hello) {
  const bool emulates = options_.devices.emulators > 0;
  if (!emulates && !hello.device) {
    const Capability* cuda = find_capability(hello, "cuda");
    leave(member, cuda != nullptr && !cuda->available
                      ? Error{ErrorKind::environment, cuda->reason, member.name, cuda->remedy}
                      : Error{ErrorKind::environment, "the engine has no device", member.name,
                              "`warpscope doctor` says what is missing"});
    return;
  }
  if (hello.build != options_.version && !hello.build.empty()) {
    leave(member, {ErrorKind::environment,
                   "its engine is version " + hello.build + ", and the plan's is " +
                       options_.version + ": their figures would be mixed",
                   member.name, "install one version on all machines"});
    return;
  }
  keep(hello);
  const bool fresh = !member.ready;
  member.ready = true;
  member.optional = false;
  if (hello.device)
    member.share.name =
        member.name + ": " + to_text(DeviceName{hello.device->name, hello.device->uuid});
  if (!fresh) return;
  if (options_.roofs && !emulates) {
    Given given{kNoPoint, {}};
    given.job.work = RoofsJob{};
    given.job.scene = points_.front().jobs.front().scene;
    given.job.hang_limit_s = options_.engine.limit_s.value_or(kRoofsLimitS);
    given.job.job = member.client->submit(given.job);
    member.given.emplace(given.job.job, given);
  }
  if (options_.devices.all) add_devices(member.host);
}

void DeviceTeam::take_answer(Member& member, Given& given, const Message& message) {
  const auto* point = std::get_if<Measurement>(&message);
  if (point != nullptr && point->partial) return;
  if (point != nullptr && !is_answer(point->verdict.outcome)) {
    ++member.share.deaths;
    if (given.point != kNoPoint && ++attempts_[given.point] < kMostAttempts) {
      given.died = true;
      display_.say(member.name + ": " + point->verdict.sentence + " during " + point->scene + "/" +
                   point->variant + "; this point is measured again");
      return;
    }
  }
  given.answered = true;
  if (!std::exchange(given.written, true)) keep(given.job);
  if (point == nullptr) {
    if (const auto* trace = std::get_if<Trace>(&message)) look_at_outputs(given, *trace);
    keep(message);
    return;
  }
  Measurement labelled = *point;
  if (options_.devices.emulators > 0 && labelled.conditions.device.empty())
    labelled.conditions.device = "emulator";
  keep(labelled);
  ++result_.outcomes[labelled.verdict.outcome];
  if (labelled.verdict.outcome != Outcome::correct) wrong_.apply(labelled);
}

void DeviceTeam::look_at_outputs(const Given& given, const Trace& trace) {
  for (const TracedOutput& output : trace.outputs) {
    if (!output.wrong) continue;
    wrong_output_ = true;
    const std::string what = given.job.user ? given.job.user->path : given.job.scene;
    display_.say(what + ": " + output.name + ": " + output.sentence);
  }
}

void DeviceTeam::take_end(Member& member, const Done& done) {
  const auto found = member.given.find(done.job);
  if (found == member.given.end()) return;
  Given given = std::move(found->second);
  member.given.erase(found);
  if (given.point == kNoPoint) {
    if (given.answered) keep(done);
    return;
  }
  std::vector<Job>& jobs = points_[given.point].jobs;
  const bool failed = done.status == DoneStatus::failed && !given.answered && !given.died &&
                      !member.client->given_up();
  if (given.answered || failed) {
    if (!std::exchange(given.written, true)) keep(given.job);
    keep(done);
    if (failed && done.error) display_.say(sentence(*done.error));
    std::erase_if(jobs, [&](const Job& job) { return job.tag == given.job.tag; });
    if (failed) ++result_.outcomes[Outcome::unchecked];
  }
  const bool waits = std::any_of(member.given.begin(), member.given.end(), [&](const auto& other) {
    return other.second.point == given.point;
  });
  if (waits) return;
  if (jobs.empty()) {
    ++done_;
    ++member.share.points;
    done_weight_ += pool_.weight_of(given.point);
  } else {
    pool_.give_back(given.point);
  }
}

void DeviceTeam::take(Member& member, const Message& message) {
  if (const auto* hello = std::get_if<Hello>(&message)) {
    take_hello(member, *hello);
  } else if (const auto* done = std::get_if<Done>(&message)) {
    take_end(member, *done);
  } else if (const auto* progress = std::get_if<Progress>(&message)) {
    const auto given = member.given.find(progress->job);
    if (given == member.given.end()) return;
    const Job& job = given->second.job;
    member.doing = job.scene + "/" + job.variant;
    for (const auto& [axis, value] : job.axes) member.doing += " " + axis + "=" + value;
    member.doing += ": " + progress->text;
  } else if (const auto* log = std::get_if<LogLine>(&message)) {
    if (log->level == "error" && !member.optional) display_.say(member.name + ": " + log->text);
    if (!member.optional) keep(*log);
  } else if (std::holds_alternative<RoofSet>(message)) {
    for (auto& [job, given] : member.given) {
      if (given.point == kNoPoint) take_answer(member, given, message);
    }
  } else {
    std::visit(
        [&](const auto& m) {
          if constexpr (requires { m.job; }) {
            const auto given = member.given.find(m.job);
            if (given != member.given.end()) take_answer(member, given->second, message);
          }
        },
        message);
  }
}

void DeviceTeam::look_after(Member& member) {
  if (member.gone) return;
  for (const Message& message : member.client->poll()) take(member, message);
  if (!member.gone && member.client->given_up()) leave(member, *member.client->trouble());
  const auto delay = member.client->delay();
  if (delay) member.doing = delay->words;
}

std::size_t DeviceTeam::active() const {
  return static_cast<std::size_t>(
      std::count_if(members_.begin(), members_.end(), [](const Member& m) { return !m.gone; }));
}

bool DeviceTeam::measuring() const {
  if (active() == 0 || not_kept_) return false;
  return !pool_.empty() || std::any_of(members_.begin(), members_.end(), [](const Member& member) {
    return !member.gone && !member.given.empty();
  });
}

double DeviceTeam::expected_left_s() const {
  if (done_weight_ <= 0) return 0;
  return seconds_since(begun_) * (all_weight_ - done_weight_) / done_weight_;
}

void DeviceTeam::write_state(const std::string& ended) const {
  const std::filesystem::path& session = options_.file.path();
  if (done_ == points_.size()) {
    std::error_code none;
    std::filesystem::remove(sweep_state_file(session), none);
    return;
  }
  SweepState state = options_.state;
  state.host = host_name();
  state.process = ::getpid();
  state.done = static_cast<std::int64_t>(options_.before + done_);
  state.of = static_cast<std::int64_t>(options_.before + points_.size());
  state.left_s = expected_left_s();
  state.ended = ended;
  for (const Member& member : members_) {
    if (member.optional) continue;
    state.devices.push_back(
        {member.share.name, member.doing, member.share.points, member.share.deaths, member.gone});
  }
  // Nobody may be reading it, and the session says all that matters.
  static_cast<void>(write_file(sweep_state_file(session).string(), to_text(state)));
}

std::vector<std::string> DeviceTeam::lines() const {
  std::string all = std::to_string(done_) + " of " + std::to_string(points_.size()) + " points";
  constexpr double kWorthSaying = 10;
  const double left = expected_left_s();
  if (left >= kWorthSaying) all += "; about " + duration_text(left) + " left";
  std::vector<std::string> lines = {all};
  for (const Member& member : members_) {
    if (member.optional) continue;
    lines.push_back(member.share.name + "  " + plural(member.share.points, "point") + "  " +
                    member.doing);
  }
  return lines;
}

// Until one of them has something; `EngineClient::wait` takes so many at a time.
void DeviceTeam::wait() const {
  constexpr double kWaitS = 0.1;
  constexpr std::size_t kAtOnce = 8;
  std::vector<const EngineClient*> here;
  for (const Member& member : members_) {
    if (!member.gone) here.push_back(member.client.get());
  }
  const std::size_t rounds = (here.size() + kAtOnce - 1) / kAtOnce;
  here.resize(rounds * kAtOnce, nullptr);
  for (std::size_t at = 0; at < here.size(); at += kAtOnce)
    EngineClient::wait({here[at], here[at + 1], here[at + 2], here[at + 3], here[at + 4],
                        here[at + 5], here[at + 6], here[at + 7]},
                       kWaitS / static_cast<double>(rounds));
}

TeamResult DeviceTeam::run() {
  const EndSignals signals;
  std::optional<std::chrono::steady_clock::time_point> cancelled;
  constexpr double kPatienceS = 1.5;
  while (measuring() && signals.count() < 2 &&
         !(cancelled && seconds_since(*cancelled) > kPatienceS)) {
    if (signals.count() != 0 && !cancelled) {
      cancelled = std::chrono::steady_clock::now();
      for (Member& member : members_) member.client->cancel_all();
    }
    wait();
    for (std::size_t at = 0; at < members_.size(); ++at) look_after(members_[at]);
    const bool idle = cancelled && std::all_of(members_.begin(), members_.end(),
                                               [](const Member& m) { return m.given.empty(); });
    if (idle) break;
    if (!cancelled) {
      for (Member& member : members_) deal(member);
    }
    display_.draw(lines());
    constexpr double kStateEveryS = 2;
    if (seconds_since(last_state_) >= kStateEveryS) {
      write_state("");
      last_state_ = std::chrono::steady_clock::now();
    }
  }
  display_.clear();
  return result(signals.count() == 0 ? nullptr : signals.name());
}

TeamResult DeviceTeam::result(const char* signal) {
  result_.left = points_.size() - done_;
  result_.findings = wrong_output_ || has_findings(wrong_);
  for (const Member& member : members_) {
    if (!member.optional) result_.shares.push_back(member.share);
  }
  if (not_kept_) {
    result_.error = not_kept_;
  } else if (signal != nullptr && result_.left > 0) {
    result_.error =
        Error{ErrorKind::resource, "cancelled: what was measured before is kept", signal, ""};
  } else if (result_.left > 0) {
    result_.error = last_trouble_;
  } else if (std::any_of(members_.begin(), members_.end(),
                         [](const Member& m) { return m.gone && !m.optional; })) {
    result_.error = last_trouble_;
    result_.said = said_;
  }
  write_state(result_.error ? result_.error->what : "");
  return std::move(result_);
}

}  // namespace warpscope
