/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The region: every word that processes share, and who writes it.
 *
 *   0          struct layout_region     identity, geometry, clock, control
 *   off_gates  one byte an event id     0 off, 1 on
 *   off_rings  struct layout_ring[n]    n = nr_cpus + nr_locked, 512 bytes each
 *   off_pool   the pool                 registry entries, process entries,
 *                                       ring tables, page slots
 *
 * The file ends where allocated memory ends; the mapping is longer than the
 * file. Fixed-width types only, no pointers: a place is an offset from the
 * start of the region. "W:" names the only writer of a field. Words written
 * by producers and words written by the consumer side never share a cache
 * line.
 *
 * A change here is a new LAYOUT_VERSION.
 */
#ifndef TRBUF_LAYOUT_H
#define TRBUF_LAYOUT_H

#include <stdint.h>

/* The field starts a cache line; what precedes it is padded by the compiler and
 * the offsets are asserted below. */
#define LAYOUT_LINE __attribute__((aligned(64)))

#define LAYOUT_MAGIC UINT64_C(0x314e474642525401) /* \1TRBFGN1 */
#define LAYOUT_VERSION 1u

#define LAYOUT_MAX_EVENTS 65536u
#define LAYOUT_FIRST_EVENT 16u /* ids below are trbuf's own */
#define LAYOUT_MAX_CLASSES 64u
#define LAYOUT_MAX_FIELDS 16u
#define LAYOUT_MAX_CPUS 131072u
#define LAYOUT_MAX_LOCKED 64u
#define LAYOUT_MAX_RULES 64u
#define LAYOUT_BUCKETS 4096u
#define LAYOUT_PROCESS_CHUNKS 64u
#define LAYOUT_PROCESS_PER_CHUNK 64u
#define LAYOUT_MAX_PROCESSES (LAYOUT_PROCESS_CHUNKS * LAYOUT_PROCESS_PER_CHUNK)
#define LAYOUT_PROCESS_MODULES 36u

#define LAYOUT_MIN_PAGE 4096u
#define LAYOUT_MAX_PAGE (1u << 20)
#define LAYOUT_MIN_PAGES 4u
#define LAYOUT_PAGE_HEADER 128u /* room for the packet header, see doc/ctf.md */
#define LAYOUT_SLOT_BLOCK 512u
#define LAYOUT_GRANULE 65536u /* the pool is handed out in multiples of this */
#define LAYOUT_NAME 64u         /* class, event and field names with their NUL */

/* Clock of the region. */
enum layout_clock {
	LAYOUT_CLOCK_NONE = 0,
	LAYOUT_CLOCK_TSC = 1,       /* x86 time stamp counter */
	LAYOUT_CLOCK_ARM = 2,       /* arm64 generic timer */
	LAYOUT_CLOCK_MONOTONIC = 3, /* clock_gettime, nanoseconds */
	LAYOUT_CLOCK_COARSE = 4,    /* a word the daemon refreshes, nanoseconds */
};

/* Context that every record carries. The value is its size in bytes. */
enum layout_context {
	LAYOUT_CONTEXT_NONE = 0,
	LAYOUT_CONTEXT_TID = 4,
	LAYOUT_CONTEXT_PID_TID = 8,
};

enum layout_mode { LAYOUT_DISCARD = 0, LAYOUT_OVERWRITE = 1 };

enum layout_rseq_verdict { LAYOUT_RSEQ_UNTESTED = 0, LAYOUT_RSEQ_GOOD = 1, LAYOUT_RSEQ_BAD = 2 };

/* Why an event found no ring; index into layout_region.lost[]. */
enum layout_lost {
	LAYOUT_LOST_NO_RING = 0, /* CPU without a ring or a ring without pages */
	LAYOUT_LOST_TOO_LARGE,   /* fixed part larger than a record may be */
	LAYOUT_LOST_NESTED,      /* every locked ring was taken */
	LAYOUT_LOST_CLOCK,       /* no usable clock value */
	LAYOUT_LOST_KINDS = 8
};

/* ------------------------------------------------------------- control */

enum layout_rule_action { LAYOUT_RULE_DISABLE = 0, LAYOUT_RULE_ENABLE = 1 };

/* One `enable` or `disable`. The last rule that matches an event decides; an
 * event that no rule matches is on. W: tools, under the control lock. */
struct layout_rule {
	uint8_t action;     /* enum layout_rule_action */
	uint8_t level;      /* events of a higher number are off */
	uint8_t reserved[6];
	char pattern[120];  /* glob on "class:event" */
	char exclude[128];  /* glob; "" excludes nothing */
};

/* What decides a gate. Two copies; control_seq chooses. W: tools. */
struct layout_control {
	uint32_t on;     /* the whole of tracing */
	uint32_t nrules; /* rules in use */
	uint64_t mask;   /* classes that are on */
	struct layout_rule rules[LAYOUT_MAX_RULES];
};

/* -------------------------------------------------------------- region */

struct layout_region {
	/* Identity and geometry. W: creator, before the file has its name; the
	 * fields marked (s) may be changed by a tool under the control lock
	 * until rings_ready. */
	uint64_t magic;
	uint32_t version;
	uint32_t header_size; /* sizeof(struct layout_region) */
	uint8_t boot_id[16];
	uint8_t region_id[16]; /* random */
	uint64_t map_size;     /* address space to reserve, bytes */
	uint64_t off_gates;
	uint64_t off_rings;
	uint64_t off_pool;
	uint32_t nr_cpus;   /* highest possible CPU number + 1 */
	uint32_t nr_locked; /* locked rings, after those of the CPUs */
	uint32_t page_size; /* (s) */
	uint32_t table_cap; /* (s) entries of free queue and page table, 2^n */
	uint32_t max_slots; /* (s) table_cap / 2 */
	uint32_t context;   /* (s) enum layout_context */
	uint32_t clock;     /* (s) enum layout_clock */
	uint32_t rseq_verdict; /* W: tool or daemon that tested */
	uint64_t created_realtime;   /* ns since the epoch */
	uint64_t created_cycles;     /* region clock, the same moment */
	uint64_t created_monotonic;  /* CLOCK_MONOTONIC ns, the same moment */
	uint64_t clock_frequency;    /* cycles a second; 0 not yet measured. W: tools */

	/* what the emit path reads beside its ring. W: tools. */
	LAYOUT_LINE uint64_t coarse_clock; /* W: daemon. LAYOUT_CLOCK_COARSE */

	/* doorbell. Bit 0 armed, W: daemon; producers add 2. */
	LAYOUT_LINE uint32_t doorbell;
	uint32_t doorbell_off; /* 1: nobody rings (poll only). W: tools */

	/* events that reached no ring, by cause. W: anybody, atomic add. */
	LAYOUT_LINE uint64_t lost[LAYOUT_LOST_KINDS];

	/* allocation and registration. W: anybody, fetch-add. */
	LAYOUT_LINE uint64_t pool_end;   /* first byte of the file not yet handed out */
	uint64_t heap_next;  /* registry heap: next free byte, in a granule of its own */
	uint64_t heap_leaked;
	uint32_t next_event; /* next event id */
	uint32_t next_module;
	uint32_t classes_refused;  /* events refused: class table full */
	uint32_t events_refused;   /* events refused: no id or no memory */
	uint32_t locked_users;     /* producers that attached without rseq */
	uint32_t processes_refused;

	/* control. W: tools, under the control lock. */
	LAYOUT_LINE uint32_t control_seq; /* control[control_seq & 1] is in force */
	uint32_t gates_seq;   /* gates were derived from this control_seq */
	uint32_t rings_ready; /* geometry is final, rings exist */
	uint32_t mode;        /* enum layout_mode */
	uint64_t wanted_size; /* bytes a ring, default for all rings */
	uint32_t watermark;   /* per cent of a ring full that rings the doorbell */
	uint32_t flush_ms;    /* flush timer, 0 none */
	uint32_t consumer_pid; /* W: holder of the consumer lock; 0 none */
	uint32_t recording;    /* W: consumer. 1 while a recording runs */
	uint32_t paused;       /* W: consumer. 1 while the disk reserve is reached */
	uint32_t rings_wanted; /* W: tools. 1: somebody is about to switch tracing on */
	uint64_t lost_on_disk; /* W: consumer. sum of lost[] already reported */

	/* the recording in progress, for the next daemon. W: consumer. */
	LAYOUT_LINE char recording_path[1024];

	LAYOUT_LINE uint64_t class_name[LAYOUT_MAX_CLASSES];            /* offset of the name; W: CAS from 0 */
	uint64_t process_chunk[LAYOUT_PROCESS_CHUNKS];      /* offset; W: CAS from 0 */
	uint64_t event_bucket[LAYOUT_BUCKETS];              /* offset of the newest entry; W: CAS */
	uint64_t module_bucket[LAYOUT_BUCKETS / 16];        /* the same for modules */
	struct layout_control control[2];
};

/* ------------------------------------------------------------ registry */

enum layout_entry_kind { LAYOUT_ENTRY_EVENT = 0x4556, LAYOUT_ENTRY_MODULE = 0x4d4f };

/* One event, in the registry heap. Filled in whole, then published by one
 * compare-and-swap of its bucket; constant after that but for gate_seq. */
struct layout_event {
	uint64_t next;  /* older entry of the same bucket, 0 none */
	uint64_t hash;  /* of class, name, level, span and fields */
	uint32_t id;    /* event id; id + 1 is the cut form if `variable` */
	uint16_t kind;  /* LAYOUT_ENTRY_EVENT */
	uint8_t level;
	uint8_t class_index;
	uint8_t span;     /* 0 plain, 1 begin, 2 end */
	uint8_t variable; /* 1: has fields of variable size */
	uint8_t nfields;
	uint8_t reserved;
	uint32_t size;     /* bytes of this entry, with the text behind it */
	uint32_t gate_seq; /* control_seq the gate was derived from. W: tools, registrant */
	uint32_t reserved2;
	uint32_t text_size; /* bytes behind: see registry.h for the form */
	/* name NUL, then the fields */
};

/* One loaded object, shared by all processes that have it. As events. */
struct layout_module {
	uint64_t next;
	uint64_t hash;
	uint32_t id;
	uint16_t kind; /* LAYOUT_ENTRY_MODULE */
	uint8_t build_id_size;
	uint8_t reserved;
	uint64_t size; /* bytes of the image in memory */
	uint32_t entry_size;
	uint32_t path_size; /* with NUL, behind this struct */
	uint8_t build_id[32];
};

/* ----------------------------------------------------------- processes */

enum layout_process_state {
	LAYOUT_PROCESS_FREE = 0,
	LAYOUT_PROCESS_CLAIMED = 1, /* being filled in */
	LAYOUT_PROCESS_LIVE = 2,
	LAYOUT_PROCESS_EXITED = 3, /* its destructor ran */
};

struct layout_process_module {
	uint64_t module; /* offset of a struct layout_module, 0 unused */
	uint64_t base;   /* load address */
	uint64_t since;  /* region clock when it was seen */
};

/* 1024 bytes. W: the process it describes, but for state (CAS). */
struct layout_process {
	uint64_t state; /* enum layout_process_state | (use count << 8) */
	uint64_t start_time; /* field 22 of /proc/PID/stat, 0 not known */
	uint64_t attached;   /* region clock */
	uint64_t exited;     /* region clock, 0 running */
	uint32_t pid;        /* in its own PID namespace */
	uint32_t parent;     /* index + 1 of the entry it was forked from, 0 none */
	uint32_t uid;
	uint32_t locked;     /* 1: uses the locked rings */
	uint64_t pid_ns;     /* inode of its PID namespace */
	uint32_t emitted;    /* 1: it has emitted at least one event */
	uint32_t modules;    /* entries in module[] in use, or seen */
	char comm[16];
	uint64_t published; /* consumer's mark. W: consumer */
	uint64_t reserved[9];
	struct layout_process_module module[LAYOUT_PROCESS_MODULES];
};

/* --------------------------------------------------------------- rings */

/*
 * head, one 64-bit word, the same widths for every page size:
 *
 *    63        40 39          22  21      20          0
 *   +------------+--------------+--------+-------------+
 *   | page (24)  | events (18)  | sealed | offset (21) |
 *   +------------+--------------+--------+-------------+
 *
 * page is the low part of the 64-bit page number (page words hold it whole);
 * a page of 1 MiB holds at most 131072 records of 8 bytes, so 18 bits do;
 * a sealed page makes (offset | sealed) larger than any page.
 */
#define HEAD_OFFSET_BITS 21
#define HEAD_SEALED (UINT64_C(1) << 21)
#define HEAD_EVENT (UINT64_C(1) << 22)
#define HEAD_PAGE_SHIFT 40
#define HEAD_PAGE_MASK UINT64_C(0xffffff)

/* F: {f: 32 high, a: 32 low}.  T: {t: 32 high, slot: 16, for page: 16 low};
 * T_NO_PAGE in the slot field means that no slot was stolen. */
#define T_NO_SLOT 0xffffu

/* What the fast path needs beside head, two copies chosen by the parity of
 * the page number. W: producers, in the switch. */
struct layout_page_words {
	uint64_t number; /* 64-bit page number */
	uint64_t base;   /* offset of the page's memory in the region */
	uint32_t slot;
	uint32_t reserved;
	uint64_t reserved2;
};

struct layout_ring {
	/* W: producers, in sections. */
	LAYOUT_LINE uint64_t head; /* last store of a section */
	uint64_t last; /* clock of the newest record, stored before head */
	uint64_t missed;
	uint64_t missed_since; /* clock of the first miss since the page was sealed */
	uint64_t filtered;     /* events on a CPU that may not trace; not misses */
	uint64_t clock_backwards;
	uint64_t spare0;
	/* W: producers, in the switch. */
	LAYOUT_LINE struct layout_page_words page[2];
	/* F: producers f (CAS in a section), consumer side a (CAS). */
	LAYOUT_LINE uint64_t F;
	/* T: both sides, CAS. */
	LAYOUT_LINE uint64_t T;
	/* Read by every emit, hardly ever written. W: tools and daemon. */
	LAYOUT_LINE uint32_t limit; /* bytes of a page in use; 0: this CPU may not trace */
	uint32_t ready; /* 1: the tables below are there */
	uint64_t off_free;  /* uint32_t[table_cap] */
	uint64_t off_pages; /* uint64_t[table_cap]: slot | fn << 32 */
	uint64_t off_slots; /* uint64_t[]: offset of each block of LAYOUT_SLOT_BLOCK slots */
	uint32_t nslots;    /* slots that have memory or had it: entries in use */
	uint32_t npages;    /* pages in circulation, posted or held */
	uint32_t ring_at;   /* pages filled that ring the doorbell */
	uint32_t denied;    /* 1: this CPU may not trace */
	uint64_t wanted_size; /* bytes; 0: the region's */
	/* Locked rings: who writes. W: producers, CAS; daemon frees the dead. */
	LAYOUT_LINE uint64_t owner; /* 0, or process index + 1 << 32 | tid */
	/* W: consumer, after the data are on disk. */
	LAYOUT_LINE uint64_t disk_page;   /* page number of the newest packet */
	uint64_t disk_offset; /* offset in that page up to which it is on disk */
	uint64_t disk_events; /* events handed over or given up, cumulative */
	uint64_t disk_missed; /* misses reported, cumulative */
	uint64_t disk_lost;   /* of the events, those lost to overwriting */
	uint64_t quarantined; /* reason code, 0 healthy */
	LAYOUT_LINE uint64_t spare[8];
};

/* A slot: 64 bytes by producers, 64 by the consumer side. */
struct layout_slot {
	/* W: producers, in the switch */
	uint64_t number;        /* page number; UINT64_MAX never used */
	uint64_t begin;         /* clock */
	uint64_t end;           /* clock, at close */
	uint64_t events_before; /* cumulative, up to the page */
	uint64_t missed_before;
	uint64_t missed_since; /* clock of the first miss before the page, if any */
	uint32_t end_offset;   /* at close */
	uint32_t events;       /* at close */
	uint64_t reserved;
	/* W: consumer side */
	LAYOUT_LINE uint64_t mem;     /* offset of the page's memory */
	uint32_t backed;  /* 1: memory is allocated */
	uint32_t retired; /* 1: not to be posted again */
};

#define LAYOUT_OFFSET(type, field, off) \
	_Static_assert(__builtin_offsetof(struct type, field) == (off), #type "." #field)
#define LAYOUT_SIZE(type, n) _Static_assert(sizeof(struct type) == (n), #type)

LAYOUT_OFFSET(layout_region, coarse_clock, 192);
LAYOUT_OFFSET(layout_region, doorbell, 256);
LAYOUT_OFFSET(layout_region, lost, 320);
LAYOUT_OFFSET(layout_region, pool_end, 384);
LAYOUT_OFFSET(layout_region, control_seq, 448);
LAYOUT_OFFSET(layout_region, recording_path, 512);
LAYOUT_OFFSET(layout_region, class_name, 1536);
LAYOUT_SIZE(layout_region, 70208);
LAYOUT_SIZE(layout_rule, 256);
LAYOUT_SIZE(layout_event, 48);
LAYOUT_SIZE(layout_module, 72);
LAYOUT_SIZE(layout_process, 1024);
LAYOUT_OFFSET(layout_process, module, 160);
LAYOUT_SIZE(layout_ring, 512);
LAYOUT_OFFSET(layout_ring, page, 64);
LAYOUT_OFFSET(layout_ring, F, 128);
LAYOUT_OFFSET(layout_ring, T, 192);
LAYOUT_OFFSET(layout_ring, limit, 256);
LAYOUT_OFFSET(layout_ring, owner, 320);
LAYOUT_OFFSET(layout_ring, disk_page, 384);
LAYOUT_SIZE(layout_slot, 128);
LAYOUT_OFFSET(layout_slot, mem, 64);

#endif
