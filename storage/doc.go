// Package storage keeps conversations on disk, in bbolt files.
//
// # Guarantees
//
//   - Every append is one transaction, on disk (fsync) when the call returns.
//     What was acknowledged survives kill -9.
//   - Several programs may use one data directory at a time. The calls of a store
//     share a budget of one second for waiting on other programs, which refills while
//     they do not wait. A call that would wait longer fails with [ErrBusy].
//   - One program at a time writes a conversation ([Writer], [ErrLocked]); any
//     number read it meanwhile.
//   - Damage affects one file only and is an error ([ErrDamaged]), never a panic. A
//     single event that cannot be read is replaced by a placeholder ([LoadReport]).
//   - A flipped bit is detected wherever it changes what is read. One flipped bit in a
//     value is corrected on reading, and a damaged file header is restored from its
//     copy.
//   - Directories are 0700, files 0600; looser modes of our files are tightened.
//   - A conversation without a user message leaves no file.
//
// # Layout of the data directory
//
//	gate                     empty; the directory lock, held while a file is created or
//	                         removed, or a writer lock is taken or tested
//	conversations/ID.db      one conversation
//	conversations/ID.lock    locked while the conversation is open for writing; holds the
//	                         process id; removed on a clean close
//	conversations/ID.db.damaged   damaged file that a repair has replaced; later ones are numbered
//	index.db                 the list entry of each conversation; rebuilt when it is
//	                         missing, damaged or differs from the files
//	shared.db                input history and calibrations
//	*.db.new                 an incomplete new file, renamed when it is complete
//
// # Keys and values
//
// Every value but format is followed by its seal, 4 bytes: CRC-32C of the name of the
// bucket, the key and the value.
//
//	every file
//	  meta    format        version of the file, decimal, as every build reads it
//	          format.sealed the same, with a seal
//	          record        number of the newest transaction, number of the newest event,
//	                        and count of values in meta, 8 bytes each, big endian
//	conversations/ID.db
//	  meta    id, workspace, created (RFC 3339)
//	          card        JSON of the Entry, derived from the events, so that a list need
//	                      not read them
//	          partial     JSON of a conversation.PartialReply, while a reply is streamed
//	          waiting     JSON array of the messages queued until the running turn ends
//	  events  Seq, 8 bytes, big endian -> conversation.Marshal
//	  blobs   SHA-256 of the text, 64 hexadecimal digits -> one byte for the encoding
//	          ('r' raw, 'z' zstd) and the text
//	index.db
//	  entries ID -> JSON of an Entry with the size and modification time of its file
//	shared.db
//	  history      number, 8 bytes, big endian -> JSON of text, workspace
//	  calibration  "endpoint model" -> JSON of a conversation.Calibration
//
// bbolt begins a file with two headers (meta pages). The page of the older one also holds,
// at byte 512, a copy of the newer one: "Plimhead", the header of 64 bytes, the number
// of the newest event, CRC-32C of these. It is written after each commit and not synced.
//
// Format 1 had neither seals nor records. Its files can be read; the first transaction
// that writes to one adds them.
//
// # Locks
//
// bbolt locks a whole file for as long as it is open, and polls for that lock. So a file is opened
// for one transaction and closed again (0.04 ms). Its lock is taken before bbolt opens it: with a
// blocking flock in a separate goroutine, which is fair where polling may starve. bbolt then gets
// the locked descriptor. A goroutine that holds the lock of a database takes no other lock, so
// there is no deadlock.
//
// # Search
//
// [Store.Search] scans all conversations without an index. Workers scan the stored
// bytes, holding the lock for a few megabytes at a time, copy the events that may
// match, and decode those after releasing the lock. The order of hits does not
// depend on which file was read first.
//
// # Platforms
//
// The package runs on Unix-like systems with flock. A data directory on NFS is
// refused: its locks and memory maps are unreliable ([ErrNetwork]).
package storage
