// profiling/plans/session_merge.cpp: several sessions merged into one, in which every point counts
// once.
#include "profiling/plans/session_merge.h"

#include <algorithm>
#include <array>
#include <compare>
#include <limits>
#include <map>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "profiling/messages/packed_text.h"
#include "profiling/plans/merged_lines.h"
#include "profiling/plans/plan_costs.h"
#include "profiling/plans/plan_file.h"
#include "profiling/points/point.h"
#include "profiling/session/line_reader.h"
#include "profiling/session/seal.h"
#include "scenes/base/source.h"
#include "scenes/host/write_file.h"

namespace warpscope {
namespace {

// hash_of as numbers.
struct TextHash {
  std::uint64_t high = 0, low = 0;
  auto operator<=>(const TextHash&) const = default;
};
TextHash numbers_of(std::string_view text) {
  const std::string digits = hash_of(text);
  constexpr int kHexadecimal = 16;
  constexpr std::size_t kHalf = 16;
  return {std::stoull(digits.substr(0, kHalf), nullptr, kHexadecimal),
          std::stoull(digits.substr(kHalf), nullptr, kHexadecimal)};
}
struct HashOfTextHash {
  std::size_t operator()(const TextHash& hash) const { return hash.low; }
};

// How much an answer says.
enum class AnswerStanding : std::uint8_t { unanswered, interrupted, limited, settled };
AnswerStanding standing_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::unchecked:
    case Outcome::engine_died:
      return AnswerStanding::interrupted;
    case Outcome::timed_out:
    case Outcome::out_of_memory:
      return AnswerStanding::limited;
    default:
      return AnswerStanding::settled;
  }
}

// In this order between two engines: texts of scenes, then what has a job or a date, then the rest.
enum class MergedSection : std::uint8_t { texts, answers, rest };

// A job with its answers, or a line without a job.
struct MergedUnit {
  TextHash content;   // of its lines, without the job's number
  TextHash identity;  // of its point; else of its content
  std::int64_t date = 0;
  std::uint64_t code = 0;   // of the point's source; 0: not known
  std::uint32_t hello = 0;  // the engine that answered: index into SessionMerging::hellos_; 0: none
  std::uint32_t file = 0;
  MergedSection section = MergedSection::answers;
  AnswerStanding standing = AnswerStanding::unanswered;
  Outcome outcome = Outcome::unchecked;
  std::uint64_t tag = 0;  // of its place in a plan; 0: it has none
  bool point = false, has_job = false, dropped = false;
  bool placed = false;  // the device of the point is known
};

struct MergedLine {
  KeptLines::Place place;
  std::uint32_t unit = 0;
};

// What is only known while a file is read.
struct OpenUnit {
  std::uint32_t unit = 0;
  std::string tag, kind;
};

struct MergedHello {
  TextHash content;
  std::int64_t date = 0;
  KeptLines::Place place;
};

struct ConflictNote {
  std::string place;
  std::set<std::string> sides;  // "correct in a.wsj"
};

class SessionMerging {
 public:
  SessionMerging(std::filesystem::path out, const std::string& now)
      : out_(std::move(out)), now_(seconds_of_date(now).value_or(0)) {}

  Result<void> read(const std::filesystem::path& path);
  Result<SessionMerge> write();

 private:
  Result<void> take(std::string_view line, const Message& message, std::uint64_t offset);
  std::uint32_t unit_for(const Message& message, std::int64_t job);
  void note_point(MergedUnit& unit, const OpenUnit& open, const Measurement& point);
  void note_hello(const Hello& hello, std::string_view line, const KeptLines::Place& place);
  void name_conflict(const MergedUnit& other, const MergedUnit& unit, const Measurement& point);
  void close(std::uint32_t unit);
  void drop_attempts();
  void end_of_file(const TextLines& lines);
  void warn(const std::string& sentence);
  std::vector<std::uint32_t> hellos_in_order();
  Result<void> write_lines(const TextSink& write);

  std::filesystem::path out_;
  std::int64_t now_;
  SessionMerge report_;
  KeptLines kept_;
  std::vector<MergedUnit> units_;
  std::vector<MergedLine> lines_;
  std::vector<MergedHello> hellos_ = {MergedHello{}};  // the first: before any engine
  std::map<TextHash, std::uint32_t> hello_by_content_;
  std::unordered_map<TextHash, std::uint32_t, HashOfTextHash> by_identity_;
  std::map<TextHash, ConflictNote> conflicts_;
  std::set<std::string> builds_;  // of engines that measured

  // The file that is read.
  std::string name_;
  std::uint32_t file_ = 0, hello_ = 0;
  std::int64_t line_ = 0, messages_ = 0, latest_ = 0;
  std::map<std::int64_t, OpenUnit> open_;
  std::vector<std::string> names_;
};

void SessionMerging::warn(const std::string& sentence) {
  constexpr std::size_t kMostWarnings = 20;
  if (report_.warnings.size() < kMostWarnings) report_.warnings.push_back(name_ + ": " + sentence);
}

Result<void> SessionMerging::read(const std::filesystem::path& path) {
  Result<TextLines> text = TextLines::open(path, std::numeric_limits<std::int64_t>::max());
  if (!text) return tl::unexpected(text.error());
  std::error_code unknown;
  const bool copied = text->packed() || !std::filesystem::is_regular_file(path, unknown);
  if (auto begun = kept_.begin_file(path, copied, out_.parent_path()); !begun) return begun;
  name_ = path.string();
  names_.push_back(name_);
  file_ = static_cast<std::uint32_t>(names_.size() - 1);
  hello_ = 0;
  line_ = messages_ = latest_ = 0;
  open_.clear();
  LineReader reader(PointParts::times);
  std::uint64_t offset = 0;
  while (const auto line = text->next()) {
    const std::uint64_t here = offset;
    offset += line->size() + 1;
    ++line_;
    if (line->empty() || seal_in(*line)) continue;
    const Result<Message> message = reader.read(*line);
    if (!message) {
      warn("line " + std::to_string(line_) +
           (text->complete() ? " was skipped: " + message.error().what
                             : " is torn and was skipped"));
      constexpr std::int64_t kFirstLines = 3;
      if (messages_ == 0 && line_ >= kFirstLines) break;
      continue;
    }
    ++messages_;
    if (Result<void> taken = take(*line, *message, here); !taken) return taken;
  }
  if (messages_ == 0)
    return failure(ErrorKind::input, line_ == 0 ? "the file is empty" : "the file is not a session",
                   path.string(), "choose a .wsj file that Warpscope wrote");
  end_of_file(*text);
  ++report_.files;
  return {};
}

void SessionMerging::end_of_file(const TextLines& lines) {
  if (lines.end() == TextEnd::torn || lines.end() == TextEnd::damaged)
    warn("the packed file is " + std::string(lines.end() == TextEnd::torn ? "cut off" : "damaged") +
         " after line " + std::to_string(line_) + ": what followed is lost");
  if (lines.end() == TextEnd::unreadable) warn("it could not be read to its end: " + lines.why());
  constexpr std::int64_t kToleratedS = 300;
  if (now_ > 0 && latest_ > now_ + kToleratedS)
    warn("its newest date is " + duration_text(static_cast<double>(latest_ - now_)) +
         " after this machine's clock; where a point was measured twice, the later date counts, so "
         "set the clocks (chronyc makestep) and measure that file's points again");
  for (const auto& [job, open] : open_) close(open.unit);
  open_.clear();
}

std::uint32_t SessionMerging::unit_for(const Message& message, std::int64_t job) {
  const auto add = [&] {
    MergedUnit unit;
    unit.file = file_;
    units_.push_back(unit);
    return static_cast<std::uint32_t>(units_.size() - 1);
  };
  if (job <= 0) {
    const std::uint32_t made = add();
    units_[made].standing = AnswerStanding::settled;
    return made;
  }
  const auto* asked = std::get_if<Job>(&message);
  auto found = open_.find(job);
  if (found != open_.end() && asked != nullptr) {  // the file goes on with another run
    close(found->second.unit);
    open_.erase(found);
    found = open_.end();
  }
  if (found == open_.end()) found = open_.emplace(job, OpenUnit{add(), "", ""}).first;
  units_[found->second.unit].has_job = true;
  if (asked != nullptr) {
    found->second.tag = asked->tag;
    found->second.kind = std::to_string(asked->work.index());
    if (is_plan_tag(asked->tag)) units_[found->second.unit].tag = numbers_of(asked->tag).low;
  }
  return found->second.unit;
}

// The date that a message carries; 0: none.
std::int64_t date_carried(const Message& message) {
  return std::visit(
      [](const auto& m) -> std::int64_t {
        if constexpr (requires { m.conditions.date; }) {
          return seconds_of_date(m.conditions.date).value_or(0);
        } else if constexpr (requires { m.point.conditions.date; }) {
          return seconds_of_date(m.point.conditions.date).value_or(0);
        } else if constexpr (requires { m.date; }) {
          return seconds_of_date(m.date).value_or(0);
        } else {
          return 0;
        }
      },
      message);
}

void SessionMerging::note_hello(const Hello& hello, std::string_view line,
                                const KeptLines::Place& place) {
  const MergedHello one{numbers_of(line), seconds_of_date(hello.date).value_or(0), place};
  const auto [found, fresh] =
      hello_by_content_.try_emplace(one.content, static_cast<std::uint32_t>(hellos_.size()));
  if (fresh) hellos_.push_back(one);
  hello_ = found->second;
  if (hello.device) builds_.insert(hello.build);
}

Result<void> SessionMerging::take(std::string_view line, const Message& message,
                                  std::uint64_t offset) {
  if (std::holds_alternative<Progress>(message)) return {};
  const Result<KeptLines::Place> place = kept_.keep(line, offset);
  if (!place) return tl::unexpected(place.error());
  if (const auto* hello = std::get_if<Hello>(&message)) {
    note_hello(*hello, line, *place);
    return {};
  }
  const auto number = job_number_in(line);
  const std::int64_t job = number ? number->job : 0;
  const std::uint32_t index = unit_for(message, job);
  lines_.push_back({*place, index});
  MergedUnit& unit = units_[index];
  const TextHash of_line = numbers_of(without_job(line));
  unit.content = {unit.content.high * 31 + of_line.high, unit.content.low * 31 + of_line.low};
  const std::int64_t date = date_carried(message);
  latest_ = std::max(latest_, date);
  unit.date = std::max(unit.date, date);
  const auto* asked = std::get_if<Job>(&message);
  const auto* done = std::get_if<Done>(&message);
  const auto* point = std::get_if<Measurement>(&message);
  if (asked == nullptr) unit.hello = hello_;
  if (std::holds_alternative<SceneText>(message)) unit.section = MergedSection::texts;
  if (job <= 0) {
    if (unit.section != MergedSection::texts && date == 0) unit.section = MergedSection::rest;
    close(index);
    return {};
  }
  if (point != nullptr && !point->partial) note_point(unit, open_.at(job), *point);
  const bool log = std::holds_alternative<LogLine>(message);
  if (asked == nullptr && done == nullptr && point == nullptr && !log)
    unit.standing = AnswerStanding::settled;
  if (done == nullptr) return {};
  const bool ended = done->status == DoneStatus::finished || done->status == DoneStatus::failed;
  if (unit.standing == AnswerStanding::unanswered && ended)
    unit.standing = done->error ? AnswerStanding::interrupted : AnswerStanding::settled;
  close(index);
  open_.erase(job);
  return {};
}

void SessionMerging::note_point(MergedUnit& unit, const OpenUnit& open, const Measurement& point) {
  unit.point = true;
  unit.placed = !point.conditions.device.empty();
  unit.outcome = point.verdict.outcome;
  unit.standing = standing_of(point.verdict.outcome);
  const PointId id = id_of(point);
  if (!id.code_id.empty()) unit.code = numbers_of(id.code_id).low;
  const std::string separator(1, '\0');
  const std::string device = device_of(point.conditions).id();
  unit.identity = is_plan_tag(open.tag)
                      ? numbers_of(open.tag + separator + point.conditions.device)
                      : numbers_of(open.kind + separator + id.scene + separator + id.variant +
                                   separator + id.key + separator + id.code_id + separator +
                                   device + separator + point.counters);
  const auto found = by_identity_.find(unit.identity);
  if (found == by_identity_.end()) return;
  const MergedUnit& other = units_[found->second];
  const bool verdicts = other.outcome != unit.outcome;
  const bool sources = other.code != 0 && unit.code != 0 && other.code != unit.code;
  const bool settled =
      other.standing == AnswerStanding::settled && unit.standing == AnswerStanding::settled;
  if (settled && (verdicts || sources)) name_conflict(other, unit, point);
}

void SessionMerging::name_conflict(const MergedUnit& other, const MergedUnit& unit,
                                   const Measurement& point) {
  ConflictNote& note = conflicts_[unit.identity];
  note.place = point.scene + "/" + point.variant + " at " + point.key + " on " +
               (point.conditions.device.empty() ? "an unknown device" : point.conditions.device);
  const bool verdicts = other.outcome != unit.outcome;
  for (const MergedUnit* side : {&other, &unit})
    note.sides.insert((verdicts ? to_text(side->outcome) : std::string("another source")) + " in " +
                      names_[side->file]);
}

// The unit is whole: of several of one point, one stays.
void SessionMerging::close(std::uint32_t index) {
  MergedUnit& unit = units_[index];
  if (!unit.point) unit.identity = unit.content;
  if (unit.standing == AnswerStanding::unanswered) {
    unit.dropped = true;
    ++report_.unanswered;
    return;
  }
  const auto [found, fresh] = by_identity_.try_emplace(unit.identity, index);
  if (fresh || found->second == index) return;
  MergedUnit& other = units_[found->second];
  if (unit.point) ++report_.repeated;
  const auto merit = [](const MergedUnit& one) {
    return std::make_tuple(one.standing, one.date, one.content);
  };
  if (merit(unit) > merit(other)) {
    other.dropped = true;
    found->second = index;
  } else {
    // Equal ones may have stood under several engines: under the first of them in any order.
    const auto engine = [this](const MergedUnit& one) {
      const MergedHello& hello = hellos_[one.hello];
      return std::make_tuple(one.hello != 0, hello.date, hello.content);
    };
    if (merit(unit) == merit(other) && engine(unit) < engine(other)) {
      other.dropped = true;
      found->second = index;
    } else {
      unit.dropped = true;
    }
  }
}

// Attempts at a point of a plan that ended without an answer and without a device, where the point
// was answered after all.
void SessionMerging::drop_attempts() {
  std::set<std::uint64_t> answered;
  for (const MergedUnit& unit : units_) {
    if (unit.tag != 0 && !unit.dropped && unit.standing == AnswerStanding::settled)
      answered.insert(unit.tag);
  }
  for (MergedUnit& unit : units_) {
    const bool attempt = unit.tag != 0 && unit.standing < AnswerStanding::settled && !unit.placed;
    if (!attempt || unit.dropped || !answered.contains(unit.tag)) continue;
    unit.dropped = true;
    ++report_.unanswered;
  }
}

// Index by place in the output: the first stays the first.
std::vector<std::uint32_t> SessionMerging::hellos_in_order() {
  std::vector<std::uint32_t> order(hellos_.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) order[at] = at;
  std::sort(order.begin() + 1, order.end(), [this](std::uint32_t a, std::uint32_t b) {
    return std::tie(hellos_[a].date, hellos_[a].content) <
           std::tie(hellos_[b].date, hellos_[b].content);
  });
  return order;
}

Result<void> SessionMerging::write_lines(const TextSink& write) {
  const std::vector<std::uint32_t> hellos = hellos_in_order();
  std::vector<std::uint32_t> rank(hellos.size());
  for (std::uint32_t at = 0; at < hellos.size(); ++at) rank[hellos[at]] = at;
  std::vector<std::uint32_t> order;
  for (std::uint32_t at = 0; at < units_.size(); ++at) {
    if (!units_[at].dropped) order.push_back(at);
  }
  const auto key = [&](std::uint32_t at) {
    const MergedUnit& unit = units_[at];
    return std::make_tuple(rank[unit.hello], unit.section, unit.date, unit.content);
  };
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::vector<std::uint32_t> place(units_.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) place[order[at]] = at;
  std::erase_if(lines_, [this](const MergedLine& line) { return units_[line.unit].dropped; });
  std::stable_sort(lines_.begin(), lines_.end(), [&](const MergedLine& a, const MergedLine& b) {
    return place[a.unit] < place[b.unit];
  });
  LineSeal seal;
  const auto put = [&](const std::string& line) {
    seal.add(line);
    write(line);
    write("\n");
    report_.bytes += static_cast<std::int64_t>(line.size()) + 1;
    ++report_.lines;
  };
  std::uint32_t engines = 1;
  const auto engines_up_to = [&](std::uint32_t last) -> Result<void> {
    for (; engines <= last; ++engines) {
      const Result<std::string> line = kept_.read(hellos_[hellos[engines]].place);
      if (!line) return tl::unexpected(line.error());
      put(*line);
    }
    return {};
  };
  std::int64_t job = 0;
  std::uint32_t unit = std::numeric_limits<std::uint32_t>::max();
  for (const MergedLine& line : lines_) {
    const MergedUnit& owner = units_[line.unit];
    if (line.unit != unit) {
      unit = line.unit;
      job += owner.has_job ? 1 : 0;
      report_.points += owner.point ? 1 : 0;
    }
    if (Result<void> said = engines_up_to(rank[owner.hello]); !said) return said;
    const Result<std::string> text = kept_.read(line.place);
    if (!text) return tl::unexpected(text.error());
    put(owner.has_job ? with_job(*text, job) : *text);
  }
  if (Result<void> said = engines_up_to(static_cast<std::uint32_t>(hellos.size() - 1)); !said)
    return said;
  const std::string last = seal.line();
  write(last + "\n");
  report_.bytes += static_cast<std::int64_t>(last.size()) + 1;
  ++report_.lines;
  return {};
}

Result<SessionMerge> SessionMerging::write() {
  drop_attempts();
  for (const auto& [identity, note] : conflicts_) {
    std::string sides;
    for (const std::string& side : note.sides) sides += (sides.empty() ? "" : ", ") + side;
    report_.conflicts.push_back(note.place + ": " + sides);
  }
  std::sort(report_.conflicts.begin(), report_.conflicts.end());
  std::sort(report_.warnings.begin(), report_.warnings.end());
  if (builds_.size() > 1) {
    std::string all;
    for (const std::string& build : builds_) all += (all.empty() ? "" : ", ") + build;
    report_.warnings.push_back("engines of several versions measured (" + all +
                               "): install one version everywhere before you compare their times");
  }
  const Result<void> written =
      write_file(out_, [this](const TextSink& write) { return write_lines(write); });
  if (!written) return tl::unexpected(written.error());
  return std::move(report_);
}

}  // namespace

Result<SessionMerge> merge_sessions(const std::vector<std::filesystem::path>& paths,
                                    const std::filesystem::path& out, const std::string& now) {
  SessionMerging merge(out, now);
  std::vector<std::filesystem::path> sorted = paths;
  std::sort(sorted.begin(), sorted.end());
  for (const std::filesystem::path& path : sorted) {
    if (Result<void> read = merge.read(path); !read) return tl::unexpected(read.error());
  }
  return merge.write();
}

}  // namespace warpscope
