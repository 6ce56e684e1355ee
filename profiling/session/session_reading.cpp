// profiling/session/session_reading.cpp: sessions read from files, one or several as one.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "profiling/messages/packed_text.h"
#include "profiling/session/kept_bytes.h"
#include "profiling/session/read_ahead.h"
#include "profiling/session/seal.h"
#include "profiling/session/session.h"
#include "profiling/text/json_text.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

// What a session may take in memory: so much more than its file that every honest one has room, and
// no more than a program may take for a file that was made small to become large.
std::int64_t most_kept_bytes(std::int64_t file_bytes) {
  constexpr std::int64_t kLeast = 512LL << 20, kTimesTheFile = 16;
  return std::max(kLeast, kTimesTheFile * file_bytes);
}

// The lines of a session file, counted from 1.
struct LineCounts {
  std::int64_t all = 0;
  std::int64_t foreign = 0;  // no messages, though whole
  std::int64_t torn = 0;     // the last, where it is not a message and has no newline
  bool begun = false;        // all there is, is the beginning of a first line
  std::int64_t kept_bytes = 0;
};
// A file with this many lines that are not messages was not written by Warpscope, or is damaged all
// through.
constexpr std::int64_t kMostForeignLines = 1000;

// Why nothing of the file is used, where that is so.
std::optional<Error> refusal(const TextLines& lines, TextEnd end, const LineCounts& counts,
                             const std::filesystem::path& path) {
  const auto bytes = [](std::int64_t count) {
    return format_value(static_cast<double>(count), "B");
  };
  switch (end) {
    case TextEnd::over_limit:
      return Error{ErrorKind::input,
                   (lines.packed() ? "the file unpacks to more than the limit of "
                                   : "the file is " + bytes(lines.file_bytes()) +
                                         " long, over the limit of ") +
                       bytes(lines.maximum_bytes()),
                   path.string(), "split it between two lines: every part is a session"};
    case TextEnd::long_line:
      return Error{ErrorKind::input,
                   "line " + std::to_string(counts.all + 1) + " is longer than the limit of " +
                       bytes(kLongestLineBytes),
                   path.string(), "choose a .wsj file that Warpscope wrote"};
    case TextEnd::unreadable:
      return Error{ErrorKind::input, "the file cannot be used: " + lines.why(), path.string(),
                   "copy it again, or choose another file"};
    case TextEnd::no_memory:
      return Error{ErrorKind::resource, "the file cannot be used: " + lines.why(), path.string(),
                   "free some memory"};
    default:
      break;
  }
  if (counts.foreign > kMostForeignLines)
    return Error{ErrorKind::input,
                 "more than " + std::to_string(kMostForeignLines) +
                     " of its lines are not messages of Warpscope",
                 path.string(), "copy it again, or choose another .wsj file"};
  if (const std::int64_t most = most_kept_bytes(lines.file_bytes()); counts.kept_bytes > most)
    return Error{ErrorKind::input,
                 "its contents take more than " + bytes(most) + " of memory, at line " +
                     std::to_string(counts.all),
                 path.string(), "split it between two lines: every part is a session"};
  return std::nullopt;
}

// Why there is not one message in a file that was read.
Error no_session(const TextLines& lines, TextEnd end, const LineCounts& counts,
                 const std::filesystem::path& path) {
  if (end == TextEnd::damaged)
    return {ErrorKind::input, "the packed file is damaged (" + lines.why() + ")", path.string(),
            "copy it again, or choose another .wsj file"};
  if (end == TextEnd::torn && counts.foreign == 0)
    return {ErrorKind::input, "the packed file ends before its first line does", path.string(),
            "copy it again, or choose another .wsj file"};
  if (counts.begun)
    return {ErrorKind::input, "the file ends before its first line does", path.string(),
            "record into it again: the program that wrote it was stopped, or its disk was full"};
  return {ErrorKind::input,
          lines.text_bytes() == 0 ? "the file is empty" : "the file is not a session",
          path.string(), "choose a .wsj file that Warpscope wrote"};
}

// What there is to say of how a packed file ended.
std::string ending(const TextLines& lines, TextEnd end, const LineCounts& counts) {
  const std::string line = "line " + std::to_string(counts.all);
  switch (end) {
    case TextEnd::torn:
      return counts.torn > 0
                 ? line + " is torn and was skipped: the packed file ends early"
                 : "the packed file ends early after " + line + ": what followed is lost";
    case TextEnd::damaged:
      return "the packed file is damaged in or before " + line + " (" + lines.why() +
             "): what was read may be wrong, and what followed is lost";
    case TextEnd::followed:
      return "what follows " + line + " is not packed and was left out";
    default:
      return {};
  }
}

}  // namespace

namespace {

// A message that was read, as the catalogue has its point now, with its job numbered on. Keeps the
// highest number in `last_job`.
void make_current(Message& message, const Catalogue& catalogue, std::int64_t jobs_before,
                  std::int64_t& last_job) {
  const auto number = [&](std::int64_t& job) {
    job += job > 0 ? jobs_before : 0;
    last_job = std::max(last_job, job);
  };
  std::visit(
      [&](auto& m) {
        using M = std::decay_t<decltype(m)>;
        if constexpr (requires { m.job; }) number(m.job);
        if constexpr (std::is_same_v<M, Measurement>) {
          m.catalogue = catalogue.shared();
          complete_axes(m);
        } else if constexpr (std::is_same_v<M, NamedBaseline>) {
          m.point.catalogue = catalogue.shared();
          if (!m.removed) complete_axes(m.point);
        } else if constexpr (std::is_same_v<M, Trace> || std::is_same_v<M, Timeline> ||
                             std::is_same_v<M, WarpTimeline>) {
          m.key = completed_key(catalogue, m.scene, m.variant, m.key);
        } else if constexpr (std::is_same_v<M, Series> || std::is_same_v<M, Picture>) {
          m.point.key = completed_key(catalogue, m.point.scene, m.point.variant, m.point.key);
        }
      },
      message);
}

// `measuring`: how many of the session's jobs measured. Their points tell all; the newest of them
// say what was done last.
void take_in(Session& session, Message message, std::size_t& measuring) {
  constexpr std::size_t kMostMeasuring = 1024;
  const auto* job = std::get_if<Job>(&message);
  measuring += job != nullptr && job->is<MeasureJob>() ? 1 : 0;
  session.take(std::move(message));
  if (measuring <= 2 * kMostMeasuring) return;
  session.keep_measuring_jobs(kMostMeasuring);
  measuring = kMostMeasuring;
}

// What there is to say of an engine's hello that a newer version wrote; empty: nothing.
std::string newer_protocol(const Message& message) {
  const auto* hello = std::get_if<Hello>(&message);
  if (hello == nullptr || hello->protocol <= kProtocolVersion) return "";
  return " uses protocol " + std::to_string(hello->protocol) + ", newer than this version's " +
         std::to_string(kProtocolVersion) + ": unknown fields are ignored";
}

// Reads one more file into the reading, and its scenes into the catalogue.
Result<void> read_on(SessionReading& reading, Catalogue& catalogue,
                     const std::filesystem::path& path, const Reading& wanted,
                     std::int64_t& last_job) {
  only_named_paths();
  Result<TextLines> lines = TextLines::open(path, wanted.maximum_bytes);
  if (!lines) return tl::unexpected(lines.error());
  const std::int64_t file_bytes = lines->file_bytes();
  ReadAhead file(std::move(*lines), wanted.parts);
  LineCounts counts;
  std::int64_t read = 0;
  std::size_t measuring = 0;
  const std::int64_t jobs_before = last_job;
  constexpr std::int64_t kMostWarnings = 20;
  const auto warn = [&reading](std::string text) {
    if (static_cast<std::int64_t>(reading.warnings.size()) < kMostWarnings) {
      reading.warnings.push_back(std::move(text));
    }
  };
  while (std::optional<ReadLine> line = file.next()) {
    ++counts.all;
    if (line->empty) continue;
    Result<Message>& message = line->message;
    const std::string number = std::to_string(counts.all);
    if (!message) {
      const bool torn = !line->complete;
      ++(torn ? counts.torn : counts.foreign);
      counts.begun = counts.all == 1 && line->begun;
      // A file that begins with something else is not a session at all, however long it is.
      if (read == 0 && counts.foreign + counts.torn >= 3) break;
      const bool cut = line->end == TextEnd::torn || line->end == TextEnd::damaged;
      if (torn && cut) continue;  // `ending` has more to say
      if (counts.foreign > kMostForeignLines) break;
      warn("line " + number +
           (torn ? " is torn and was skipped" : " was skipped: " + message.error().what));
      continue;
    }
    if (const std::string words = newer_protocol(*message); !words.empty())
      warn("line " + number + words);
    counts.kept_bytes += kept_bytes(*message);
    if (counts.kept_bytes > most_kept_bytes(file_bytes)) break;
    ++read;
    if (const auto* scene = std::get_if<SceneText>(&*message)) {
      // Before its points: they are completed by its axes.
      if (const Result<const Scene*> opened = catalogue.open_text(*scene); !opened)
        warn("line " + number + ": " + sentence(opened.error()));
    }
    make_current(*message, catalogue, jobs_before, last_job);
    const auto* point = std::get_if<Measurement>(&*message);
    if (point != nullptr && point->partial && wanted.parts == PointParts::times) continue;
    take_in(reading.session, std::move(*message), measuring);
  }
  const TextLines& text = file.lines();
  if (std::optional<Error> refused = refusal(text, file.end(), counts, path))
    return tl::unexpected(*refused);
  if (read == 0) return tl::unexpected(no_session(text, file.end(), counts, path));
  reading.lines += read;
  if (std::string words = ending(text, file.end(), counts); !words.empty())
    reading.warnings.push_back(std::move(words));
  return {};
}

}  // namespace

Result<SessionReading> read_session(const std::filesystem::path& path, std::int64_t maximum_bytes) {
  return read_sessions({path}, {PointParts::all, maximum_bytes});
}

Result<SessionReading> read_sessions(const std::vector<std::filesystem::path>& paths,
                                     const Reading& wanted) {
  const auto catalogue =
      wanted.catalogue != nullptr ? wanted.catalogue : std::make_shared<Catalogue>();
  SessionReading joined;
  joined.session = Session(catalogue);
  std::int64_t last_job = 0;
  for (const std::filesystem::path& path : paths) {
    const std::size_t before = joined.warnings.size();
    const Result<void> read = read_on(joined, *catalogue, path, wanted, last_job);
    if (!read) return tl::unexpected(read.error());
    for (std::size_t at = before; paths.size() > 1 && at < joined.warnings.size(); ++at)
      joined.warnings[at] = path.filename().string() + ": " + joined.warnings[at];
  }
  return joined;
}

Result<std::string> find_device(const Session& session, const std::string& wanted) {
  std::vector<const DeviceName*> found;
  std::string names;
  for (const DeviceName& device : session.devices()) {
    if (device.id() == wanted) return wanted;
    names += (names.empty() ? "" : ", ") + device.name +
             (device.uuid.empty() ? "" : " (" + device.uuid + ")");
    const bool bare = !device.uuid.empty() && device.uuid.starts_with("GPU-" + wanted);
    if (device.id().starts_with(wanted) || bare || device.name == wanted) found.push_back(&device);
  }
  if (found.size() == 1) return found.front()->id();
  const std::string remedy = names.empty() ? "measure on one first" : "it has " + names;
  return failure(ErrorKind::usage,
                 found.empty() ? "the session has no measurement of such a device"
                               : "several devices of the session have this name",
                 "--device-uuid " + wanted, remedy);
}

namespace {

// The lines of a file that session_text gives, one after the other.
template <typename Visit>
Result<void> each_line(const std::filesystem::path& path, std::int64_t maximum_bytes,
                       const Visit& visit) {
  Result<TextLines> lines = TextLines::open(path, maximum_bytes);
  if (!lines) return tl::unexpected(lines.error());
  LineCounts counts;
  while (const std::optional<std::string_view> line = lines->next()) {
    if (!lines->complete() && !parse_line(*line)) break;
    ++counts.all;
    visit(*line);
  }
  if (std::optional<Error> refused = refusal(*lines, lines->end(), counts, path))
    return tl::unexpected(*refused);
  return {};
}

// The line with its job numbered on, where it has one; `most` is the highest number.
std::string numbered_on(std::string_view line, std::int64_t jobs_before, std::int64_t& most) {
  nlohmann::json object = parse_json(line, "").value_or(nlohmann::json());
  const auto job = object.is_object() ? object.find("job") : object.end();
  if (!object.is_object() || job == object.end() || !job->is_number_integer() || *job <= 0)
    return std::string(line);
  const auto number = job->get<std::int64_t>() + jobs_before;
  most = std::max(most, number);
  if (jobs_before == 0) return std::string(line);
  *job = number;
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Result<std::string> session_text(const std::filesystem::path& path, std::int64_t maximum_bytes) {
  std::string text;
  const Result<void> read = each_line(path, maximum_bytes, [&text](std::string_view line) {
    text += line;
    text += '\n';
  });
  if (!read) return tl::unexpected(read.error());
  return text;
}

Result<void> write_joined(const std::vector<std::filesystem::path>& paths, const TextSink& write,
                          std::int64_t maximum_bytes) {
  std::int64_t jobs_before = 0;
  LineSeal sealed;  // lines that are numbered on are not those that were sealed
  for (const std::filesystem::path& path : paths) {
    std::int64_t most = jobs_before;
    const Result<void> read = each_line(path, maximum_bytes, [&](std::string_view line) {
      if (paths.size() == 1) {
        write(line);
      } else if (!seal_in(line)) {
        const std::string numbered = numbered_on(line, jobs_before, most);
        sealed.add(numbered);
        write(numbered);
      } else {
        return;
      }
      write("\n");
    });
    if (!read) return read;
    jobs_before = most;
  }
  if (sealed.lines() > 0) write(sealed.line() + "\n");
  return {};
}

}  // namespace warpscope
