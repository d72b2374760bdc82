// Package storage keeps conversations on disk, in bbolt files.
//
// # Guarantees
//
//   - Every append is one transaction, on disk (fsync) when the call returns.
//     What was acknowledged survives kill -9.
//   - Several programs on one data directory are normal use. The calls of a store
//     together wait no longer than a second for other programs, until as much time
//     has gone by without; what would, ends with [ErrBusy].
//   - One program at a time writes a conversation ([Writer], [ErrLocked]); any
//     number read it meanwhile.
//   - Damage stays in one file, is an error ([ErrDamaged]) and never a panic. A
//     single event that cannot be read is replaced, not fatal ([LoadReport]).
//   - A wrong bit is noticed wherever it changes what is read. One in a value is
//     set right while it is read, and so is a newest transaction that is hidden by
//     a damaged page.
//   - Directories are 0700, files 0600; looser modes on our own are tightened.
//   - A chat without a message of the user leaves no file.
//
// # Layout of the data directory
//
//	gate                     empty; locked for the moment in which a file appears or
//	                         disappears and a writer lock is taken or tested
//	conversations/ID.db      one conversation
//	conversations/ID.lock    locked while the conversation is open for writing; holds the
//	                         process id; removed on a clean close
//	conversations/ID.db.damaged   what a repair put aside, with a number if there are several
//	index.db                 what a list shows of each conversation; rebuilt when it is
//	                         missing, damaged or disagrees with the files
//	shared.db                input history and calibrations
//	*.db.new                 a file in the making, renamed when it is complete
//
// # Keys and values
//
// Behind every value but format stands its seal, 4 bytes: CRC-32C of the name of the
// bucket, the key and the value.
//
//	every file
//	  meta    format        version of the file, decimal, as every build reads it
//	          format.sealed the same, sealed
//	          record        number of the newest transaction, of the newest event, and how
//	                        many values meta has, 8 bytes each, big endian
//	conversations/ID.db
//	  meta    id, workspace, created (RFC 3339)
//	          card        JSON of an Entry, made from the events, so that a list need
//	                      not read them
//	          partial     JSON of a conversation.PartialReply, while a reply arrives
//	          waiting     JSON array of the messages that wait for the running turn
//	  events  Seq, 8 bytes, big endian -> conversation.Marshal
//	  blobs   SHA-256 of the text, 64 hexadecimal digits -> one byte for the encoding
//	          ('r' as it is, 'z' zstd) and the text
//	index.db
//	  entries ID -> JSON of an Entry with the size and time of the file it was made from
//	shared.db
//	  history      number, 8 bytes, big endian -> JSON of text, workspace
//	  calibration  "endpoint model" -> JSON of a conversation.Calibration
//
// In the unused part of the page of bbolt's older head (meta page), 512 bytes from its
// beginning, stands a copy of the newer one: "Plimhead", the head of 64 bytes, the number
// of the newest event, CRC-32C of these. It is written after each commit and not synced.
//
// Format 1 had neither seals nor records. Its files are read as they are, and sealed by
// the first transaction that writes to them.
//
// # Locks
//
// bbolt locks a whole file for as long as it is open, and polls for that lock.
// So a file is opened for one transaction and closed again (0.04 ms), and each
// file is its own gate: its lock is taken with a blocking flock, which is fair
// where polling starves, in its own goroutine, and the locked descriptor
// is then given to bbolt. Whoever holds the lock of a database takes no other
// lock, so locks cannot wait for each other in a circle.
//
// # Search
//
// [Store.Search] looks through all conversations without an index. Workers look
// through the stored bytes, under the lock for a few megabytes at a time, copy what
// may hold the words, and decode it after the lock. Hits come in one order,
// whichever file was read first.
//
// # Platforms
//
// The package runs on Unix-like systems with flock. A data directory on NFS is
// refused: its locks and maps are not dependable ([ErrNetwork]).
package storage
