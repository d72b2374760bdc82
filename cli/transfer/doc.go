// Package transfer makes conversations of files and files of conversations: what
// export writes is imported whole again, and recordings of other programs are read.
package transfer
