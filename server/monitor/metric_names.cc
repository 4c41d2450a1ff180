#include "server/monitor/metric_names.h"

#include <absl/strings/ascii.h>

namespace hourcell {
namespace {

// In Prometheus' names, "hours" would be a unit. An open hour becomes a row, so they say "rows".
constexpr MetricName kNames[] = {
    {"append.refused", "Batches of points that were refused because the store was full."},
    {"append.waited", "Batches of points that waited because the store was full."},
    {"auth.logins", "Logins by their result."},
    {"auth.reloads", "Reads of the file of users after it changed, by their result."},
    {"connectionmgr.bytes", "Bytes that clients sent (in) and were sent (out)."},
    {"connectionmgr.connections",
     "Connections: accepted (total), closed at once because of a limit (rejected), or closed "
     "because of their client's silence (timed_out)."},
    {"connectionmgr.connections", "Connections that are open.", "connectionmgr_open_connections",
     /*is_gauge_of_both=*/true},
    {"connectionmgr.exceptions", "Errors of the system when a connection was to be accepted."},
    {"connectionmgr.rejected", "Connections that were closed at once, by the limit."},
    {"datapoints.added", "Points that were stored."},
    {"datapoints.expired", "Points that were not stored because they were older than their TTL."},
    {"datapoints.refused", "Points that were refused one by one, each for a fault of its own."},
    {"follow.blocks", "Blocks of the journal of another process that were read to follow it."},
    {"follow.catch_ups", "Looks of a process that follows a store at what is new in it."},
    {"follow.loads", "Times that such a process read anew what is open in the store."},
    {"follow.memory_bytes", "Memory of the open hours of the store that this process follows."},
    {"forward.lag", "Seconds since the oldest point was put that tsd.forward has not sent.",
     "forward_lag_seconds"},
    {"forward.points",
     "Points of tsd.forward: sent, refused by the other server, set aside as it fails at them, "
     "returned because they had come from it, or dropped because there was no room for them."},
    {"forward.spool_bytes", "Size of the files of points that tsd.forward is to send."},
    {"forward.unsynced",
     "Points that tsd.forward has acknowledged and not sent, and that a power loss takes because a "
     "sync has failed."},
    {"histograms.added", "Histograms that were stored."},
    {"histograms.expired",
     "Histograms that were not stored because they were older than their TTL."},
    {"histograms.refused", "Histograms that were refused one by one, each for a fault of its own."},
    {"hours.bytes", "Memory of the open hours.", "open_rows_bytes"},
    {"hours.open", "Open hours: rows of one series and hour that still take points in memory.",
     "open_rows"},
    {"hours.series", "Series that the open hours know.", "open_rows_series"},
    {"http.body_bytes", "Memory of the request bodies over 64 KiB."},
    {"http.request", "Time from when an HTTP request was complete until its answer was made."},
    {"journal.blocks", "Blocks that were written to the journal."},
    {"journal.bytes", "Size of the journal."},
    {"journal.checkpoints", "Checkpoints, after which journal files can be deleted."},
    {"journal.copied_hours", "Open hours that were written to the journal again.",
     "journal_copied_rows"},
    {"journal.cut_blocks", "Blocks that an open took out of the journal because of damage."},
    {"journal.cut_bytes", "Bytes that an open took out of the journal because of damage."},
    {"journal.cut_files", "Files with such bytes that nobody has acknowledged yet."},
    {"journal.errors", "Blocks that could not be written to the journal; they are tried again."},
    {"journal.replayed_points", "Points that the open read back from the journal."},
    {"journal.segments", "Files of the journal."},
    {"journal.sync", "Time of an fsync of the journal."},
    {"journal.write", "Time to write one block to the journal."},
    {"query.memory_bytes", "Memory of all queries."},
    {"query.queries", "Queries that run, and that wait for a thread."},
    {"query.refused", "Queries that were refused before they began, by the reason."},
    {"region.count", "Regions of a table.", "regions"},
    {"region.errors", "Splits and merges of regions that failed."},
    {"region.merges", "Merges of regions."},
    {"region.splits", "Splits of regions."},
    {"region.unsplittable", "Regions that should be split and have no place for a cut."},
    {"retention.errors", "Failures to drop expired points; they are tried again."},
    {"retention.freed_bytes", "Bytes of expired points that were dropped from disk."},
    {"rpc.errors", "Requests and lines that were refused because of their form or a limit."},
    {"rpc.inputs.dropped",
     "Values of other systems' formats that have no place in a store, by the format and the "
     "reason."},
    {"rpc.inputs.new_series",
     "New series of Graphite and StatsD: created, or refused because an hour's are created."},
    {"rpc.inputs.points", "Points that were stored from other systems' formats."},
    {"rpc.inputs.refused",
     "Lines, series, data points and points of other systems' formats that were wrong, by the "
     "format."},
    {"rpc.put.errors", "Points of puts that were not stored, by the reason."},
    {"rpc.put.new_series",
     "New series of telnet and HTTP clients without a login: created, or refused because an hour's "
     "are created."},
    {"rpc.put.points", "Points that puts had."},
    {"rpc.received", "HTTP requests, lines, and puts and rollups among the lines."},
    {"rpc.telnet.replies_dropped", "Error lines that were dropped because nobody read them."},
    {"rollups.errors", "Failures to compute rollups by rules; they are repeated."},
    {"rollups.points", "Points of levels that were computed by rules."},
    {"seal.errors", "Failures to write open hours as cells; they are tried again."},
    {"seal.expired", "Points that expired before their hour was sealed."},
    {"seal.hours", "Hours that were sealed into cells: all, and early for want of room.",
     "sealed_rows"},
    {"seal.points", "Points that were sealed into cells.", "sealed_points"},
    {"seal.put_off", "Open hours that were not sealed because their region takes no rows."},
    {"seal.set_aside", "Damaged open hours, and their points, that were kept aside."},
    {"series.cache-bytes", "Memory of the cache of series."},
    {"series.cache-evictions", "Series that left the cache for want of room."},
    {"series.cache-hit", "Points whose series was in the cache."},
    {"series.cache-miss", "Points whose series was not in the cache."},
    {"series.cache-size", "Series in the cache."},
    {"series.created", "Series that were created."},
    {"series.dropped", "Series that were dropped because all of their points had expired."},
    {"stats.self_errors", "Points of the server's own statistics that were not stored."},
    {"storage.data_loss", "Reads that found damage."},
    {"storage.disk_free_bytes", "Free space on the file system of the store."},
    {"storage.sync.errors", "Failures to sync the journal at intervals."},
    {"uid.cache-hit", "Names that were found in the cache."},
    {"uid.cache-miss", "Names that were not found in the cache."},
    {"uid.cache-size", "Names in the cache."},
    {"uid.ids-available", "UIDs that are left."},
    {"uid.ids-used", "UIDs that are in use."},
    {"uid.random-collisions", "Random UIDs that were taken already."},
    {"uid.rejected-assignments", "Names that were refused a UID."},
};

}  // namespace

std::span<const MetricName> MetricNames() {
  return kNames;
}

const MetricName* FindMetricName(std::string_view stat, StatKind kind) {
  const MetricName* found = nullptr;
  for (const MetricName& row : kNames) {
    if (row.stat != stat) continue;
    if (row.is_gauge_of_both && kind != StatKind::kGauge) continue;
    if (found == nullptr || row.is_gauge_of_both) found = &row;
  }
  return found;
}

std::string FamilyName(std::string_view stat, const MetricName* row) {
  std::string name = "hourcell_";
  if (row != nullptr && !row->metric.empty()) return name.append(row->metric);
  for (const char c : stat)
    name += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

}  // namespace hourcell
