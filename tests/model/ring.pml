/* SPDX-License-Identifier: MIT */
/* Copyright The trbuf authors */
/*
 * The ring protocol as built, for spin. One ring; NP producers that share its
 * CPU (or a locked ring), one consumer, a tool that changes the mode.
 *
 * Names follow the code: look(), next_page(), open_page(), seal(), miss() of
 * ring_switch.c; take, post, partial of ring_read.c; list of ring_recover.c.
 * doc/ring.md says how each step maps, and what is left out.
 *
 * One `atomic` is one step: at most one load or store of a word that somebody
 * else writes at that time. At each step of a producer it may be killed
 * (KILLS), at each step of the consumer it may die (CRASHES); then everything
 * private is forgotten and the next consumer starts with recovery.
 *
 * pan takes its parameters from the environment (see `param` below), so that
 * one compilation serves all variants: run.sh has the table. A trail is shown
 * by `./pan -r` with the same environment, not by spin.
 */
#ifndef MAXSLOTS
#define MAXSLOTS 3
#endif
#ifndef MAXCELLS
#define MAXCELLS 2
#endif
#define MAXCAP 8
#define NONE 255

/* Constants of a run; hidden, so they are no part of a state. */
hidden byte NP;         /* producers */
hidden byte EV, EV2;    /* events of the first, of each other */
hidden byte SLOTS, C;   /* slots; cells of a page */
hidden byte BIG;         /* records take 1 or 2 cells */
hidden byte BATCH;       /* the consumer may hold two pages */
hidden byte LOCKED;      /* a locked ring in place of a CPU's */
hidden byte MODE;       /* 0 discard, 1 overwrite */
hidden byte TOGGLE;      /* the mode changes in the middle */
hidden byte GAPS;       /* how often the clock has run on by 2^48: a new page though there is room */
hidden byte KILLS, CRASHES; /* how often a producer is killed, the consumer dies */
hidden byte SHRINKS, GROWS, PARTS, STOPS; /* how often the consumer does that */

/* Field widths, scaled down. The code's rules: table_cap is twice the slots or
 * more; t, f and a are compared modulo their width; the tag is the low part of
 * a page number; head has the low part of the page number, parity included. All
 * wrap within the first pages, as START and FSTART are just below. */
hidden byte CAP;        /* table_cap */
#define W 8             /* t, f, a:      2^32 in the code */
#define TAGW 2          /* tag:          2^16 */
#define HEADW 2         /* page of head: 2^24 */
#define START 6         /* first page number (whole numbers never wrap) */
#define FSTART 6        /* first f and a */

/* Planted bugs: each must be found. */
hidden byte STEAL_IGNORED, TAKE_IGNORED, STEAL_OPEN, STALE_TAG, HEAD_FIRST, PLAIN_STORES;
hidden byte STEAL_F_NOT_COMPARED, OPEN_T_NOT_COMPARED, MISS_F_NOT_COMPARED;
hidden byte MISSED_NOT_COMPARED, NUMBER_NOT_COMPARED, NUMBER_EARLY, NO_SEAL;
hidden byte PARTIAL_NO_CHECK, HALF_POST, ONE_READ, SHRINK_STORE, LEDGER_FIRST, LEDGER_OFFSET;
hidden byte LAST_MISSES;

c_decl {
	static int param(const char *name, int otherwise)
	{
		const char *value = getenv(name);
		return value ? atoi(value) : otherwise;
	}
}

#define AHEAD(x, y) (((x) + W - (y)) % W)               /* x - y, modular */
#define AFTER(x, y) (AHEAD(x, y) > 0 && AHEAD(x, y) < W / 2)

/* ---------------------------------------------------------- shared words */

byte hp, he, ho;        /* head: page, events, offset ... */
bit hz;                 /* ... and sealed: one word, one step */
byte wn[2], ws[2];      /* page words by parity: number, slot (for base and slot) */
byte missed;
byte Ff, Fa;            /* F */
byte Tt, Ts, Tg;        /* T: oldest, stolen slot or NONE, tag */
byte freeq[MAXCAP];
byte pgs[MAXCAP], pgf[MAXCAP]; /* pages[]: slot, fn (one word) */
byte snum[MAXSLOTS], send[MAXSLOTS], sbefore[MAXSLOTS], smiss[MAXSLOTS];    /* slot entries */
byte retired;           /* bits */
byte data[MAXSLOTS * MAXCELLS];   /* what the i-th record of a page is: its number in the ring */
bit mode;

/* The ledger in the region, word by word, and the last packet of the file. */
byte dpage, dcount, devents, dmissed;
bit ffile, fhaspage;
byte fpage, fcount, fevents, fmissed;

/* ------------------------------------------------------- the machine */

byte insec;             /* who is in a section (LOCKED: who owns the ring) */
bit aborted[4];
bit dead[4];
byte kills, crashes, gaps;
byte done;              /* producers that have ended */

/* ----------------------------------------------------- ghosts: the truth */

byte emitted;           /* commits */
byte gmissed;           /* misses */
byte elsewhere;         /* LOCKED: events that found the ring taken */
byte ngot, nlost;       /* events in files; reported as overwritten */
byte greported;         /* misses reported */
byte hand;              /* slots in the hand of the consumer (bits) */
bit toggled;

/* Every slot is in exactly one place. */
inline claim(s_)
{
	assert(!(m_ & (1 << (s_))));
	m_ = m_ | (1 << (s_))
}

inline chk()
{
	d_step {
		m_ = hand; i_ = 0;
		assert(!(hand & retired));
		m_ = m_ | retired;
		assert(AHEAD(wn[hp & 1] % W, Tt) < W / 2);
		do
		:: i_ <= AHEAD(wn[hp & 1] % W, Tt) -> claim(pgs[(Tt + i_) % CAP]); i_++
		:: else -> break
		od;
		i_ = 0;
		assert(AHEAD(Fa, Ff) <= SLOTS);
		do
		:: i_ < AHEAD(Fa, Ff) -> claim(freeq[(Ff + i_) % CAP]); i_++
		:: else -> break
		od;
		if
		:: Ts != NONE && Tg == (wn[hp & 1] + 1) % TAGW -> claim(Ts)
		:: else
		fi;
		i_ = pgf[wn[hp & 1] % CAP];
		if
		:: Ff == (i_ + 1) % W -> claim(freeq[i_ % CAP])
		:: else -> assert(Ff == i_)
		fi;
		assert(m_ == (1 << SLOTS) - 1); /* none leaked */
		m_ = 0; i_ = 0
	}
}

/* --------------------------------------------------------------- producer */

/* A step in plain C, and one in a section: killed, sent back, or done. */
#define STEP atomic { if :: kills > 0 -> kills--; goto killed :: true fi
#define END }
#define ENTER atomic { if :: kills > 0 -> kills--; goto killed :: true fi; \
	if \
	:: LOCKED -> skip /* the ring is ours */ \
	:: !LOCKED && insec != 0 && insec != me -> aborted[insec] = 1; insec = me \
	:: else -> insec = me \
	fi; \
	aborted[me] = 0
#define SEC atomic { if :: kills > 0 -> kills--; goto killed :: true fi; \
	if :: aborted[me] -> aborted[me] = 0; goto again :: else fi
#define LEAVE if :: LOCKED -> skip :: else -> insec = 0 fi
/* An entry store of open_page(): in the section, but for a planted bug. */
#define ENTRY atomic { if :: kills > 0 -> kills--; goto killed :: true fi; \
	if :: aborted[me] && !PLAIN_STORES -> aborted[me] = 0; goto again :: else fi

#define HEAD_SAME (hp == hpage && he == hev && ho == hoff && hz == hseal)
#define PAGE_SAME (HEAD_SAME && (NUMBER_NOT_COMPARED || wn[hpage & 1] == n))
#define F_SAME (Ff == f && Fa == a)
#define T_SAME (Tt == t && Ts == ts && Tg == tg)
/* What the sections compare, beside head and the number. */
#define STEAL_SAME (PAGE_SAME && T_SAME && (F_SAME || STEAL_F_NOT_COMPARED))
#define MISS_SAME (PAGE_SAME && missed == sm && T_SAME && (F_SAME || MISS_F_NOT_COMPARED))
#define OPEN_SAME (PAGE_SAME && (missed == sm || MISSED_NOT_COMPARED) && \
	(!bytake || T_SAME || OPEN_T_NOT_COMPARED))
#define TAG ((n + 1) % TAGW)
#define PENDING_STEAL (Ts != NONE && Tg == (wn[hp & 1] + 1) % TAGW)
#define PENDING_TAKE (Ff != pgf[wn[hp & 1] % CAP])

inline read_hp()
{
	hpage = hp; hev = he; hoff = ho; hseal = hz
}

inline forget()
{
	hpage = 0; hev = 0; hoff = 0; hseal = 0; n = 0; slot = 0; sm = 0;
	t = 0; ts = 0; tg = 0; f = 0; a = 0; fn = 0; before = 0; ns = 0; bytake = 0
}

proctype producer(byte me; byte events)
{
	byte k, need = 1;
	/* the snapshot */
	byte hpage, hev, hoff, n, slot, sm, t, ts, tg, f, a, fn, before, ns;
	bit hseal, bytake, gap;
	byte m_, i_;

	do
	:: k == events -> break
	:: k < events ->
		atomic {
			if :: need = 1 :: BIG -> need = 2 fi;
			if :: gaps > 0 -> gaps--; gap = 1 :: true -> gap = 0 fi;
			if
			:: LOCKED && insec != 0 -> elsewhere++; k++; goto next /* the next ring */
			:: LOCKED && insec == 0 -> insec = me
			:: else
			fi
		}
again:
		/* rseq_commit(). What it loads only producers write, and whoever
		 * enters a section sends the one inside back: one step. */
		ENTER;
			forget(); read_hp(); slot = ws[hp & 1];
			if
			:: hoff + need <= C && !hseal && !gap -> skip
			:: else -> LEAVE; forget(); goto look
			fi END;
		SEC; data[slot * C + hev] = emitted END;
		SEC;
			he = hev + 1; ho = hoff + need; LEAVE;
			emitted++; k++;
			assert(smiss[slot] == missed); /* misses lie between pages */
			goto next END;

look:		/* ring_switch.c, look(): plain C */
		STEP; read_hp() END;
		STEP; n = wn[hpage & 1];
			if :: n % HEADW != hpage -> goto again :: else fi END;
		STEP; slot = ws[hpage & 1]; sm = missed END;
		STEP; t = Tt; ts = Ts; tg = Tg END;
		/* F; and what stands still as long as F, T and head do. next_page() */
		STEP;
			f = Ff; a = Fa; fn = pgf[n % CAP]; before = sbefore[slot] + hev;
			if
			:: hoff + need <= C && !hseal && !gap -> goto again /* somebody opened it */
			:: else ->
				if
				:: ts != NONE && (STEAL_IGNORED || tg != TAG && !STALE_TAG) -> goto clear
				:: ts != NONE && tg == TAG && !STEAL_IGNORED -> ns = ts; goto open
				:: else
				fi
			fi;
			if
			:: f == (fn + 1) % W && !TAKE_IGNORED ->
				ns = freeq[fn % CAP]; fn = f; bytake = 1; goto open
			:: (f != (fn + 1) % W || TAKE_IGNORED) && AFTER(a, f) -> goto take
			:: else
			fi;
			if
			:: mode == 1 && (AFTER(n % W, t) || STEAL_OPEN && t == n % W) ->
				ns = pgs[t % CAP]; goto steal
			:: else
			fi;
			if :: !hseal && !NO_SEAL -> goto seal :: else fi;
			goto miss END;

		/* swap(): compares and the swap. Others can only send it back between
		 * them, and only the swapped word is the consumer's too: one step. */
clear:		ENTER;
			if :: PAGE_SAME && T_SAME && F_SAME -> Ts = NONE; Tg = 0; chk() :: else fi;
			LEAVE; goto again END;
take:		ENTER;
			if :: PAGE_SAME && F_SAME -> Ff = (f + 1) % W; chk() :: else fi;
			LEAVE; goto again END;
steal:		ENTER;
			if
			:: STEAL_SAME ->
				Tt = (t + 1) % W; Ts = ns; Tg = TAG;
				chk()
			:: else
			fi;
			LEAVE; goto again END;
seal:		ENTER; if :: PAGE_SAME -> hz = 1 :: else fi; LEAVE; goto again END;

miss:		/* compares in the section, then the store that commits */
		ENTER;
			if
			:: MISS_SAME -> assert(Ff == Fa) /* nothing posted, seen inside the section */
			:: else -> LEAVE; goto again
			fi END;
		SEC;
			assert(!PENDING_STEAL && !PENDING_TAKE);
			missed = sm + 1; LEAVE;
			gmissed++; k++;
			goto next END;

open:		/* open_page(ns, fn): compares, then the stores in their order */
		ENTER;
			if
			:: PLAIN_STORES -> LEAVE
			:: !PLAIN_STORES && OPEN_SAME -> skip
			:: else -> LEAVE; goto again
			fi END;
		if
		:: HEAD_FIRST ->
			SEC;
				pgs[(n + 1) % CAP] = ns; pgf[(n + 1) % CAP] = fn;
				wn[(hpage + 1) & 1] = n + 1; ws[(hpage + 1) & 1] = ns END;
			SEC; hp = (hpage + 1) % HEADW; he = 0; ho = 0; hz = 0 END;
			SEC; send[slot] = hev; snum[ns] = n + 1; sbefore[ns] = before; smiss[ns] = sm;
				LEAVE; goto again END
		:: else
		fi;
		ENTRY; send[slot] = hev; snum[ns] = n + 1 END;
		ENTRY; sbefore[ns] = before; smiss[ns] = sm END;
		ENTRY; pgs[(n + 1) % CAP] = ns; pgf[(n + 1) % CAP] = fn END;
		ENTRY; if :: NUMBER_EARLY -> wn[(hpage + 1) & 1] = n + 1 :: else -> ws[(hpage + 1) & 1] = ns fi END;
		ENTRY; if :: NUMBER_EARLY -> ws[(hpage + 1) & 1] = ns :: else -> wn[(hpage + 1) & 1] = n + 1 fi END;
		if
		:: PLAIN_STORES ->
			ENTER; if :: OPEN_SAME -> skip :: else -> LEAVE; goto again fi END
		:: else
		fi;
		SEC;
			hp = (hpage + 1) % HEADW; he = 0; ho = 0; hz = 0;
			LEAVE;
			gap = 0;
			chk();
			assert(sbefore[ns] == emitted); /* both exact, at their place */
			assert(smiss[ns] == gmissed);
			goto again END;
next:
		atomic {
			if :: LOCKED && insec == me -> insec = 0 :: else fi;
			forget()
		}
	od;
	done++;
	goto end;
killed:
	atomic {
		dead[me] = 1;
		if :: !LOCKED && insec == me -> insec = 0 :: else fi;
		forget(); k = 0; need = 1; gap = 0; aborted[me] = 0;
		done++
	}
end:	skip
}

/* --------------------------------------------------------------- consumer */

#define CRASH if :: crashes > 0 -> crashes--; goto restart :: true fi
#define CSTEP atomic { CRASH

/* head and the whole number of its page: repeated until they fit. */
#define READ_HEAD(label) \
label:	CSTEP; h = hp; e = he END; \
	CSTEP; n = wn[h & 1]; if :: n % HEADW != h -> goto label :: else fi END; \
	CSTEP; s = ws[h & 1]; if :: hp != h -> goto label :: else fi END

/* ring_disk_set(): page and offset must not be torn, as a new page beside an
 * old offset, or an old page beside offset 0, would read as something else. */
inline ledger_set()
{
	if
	:: dpage != lpage || LEDGER_OFFSET -> dcount = 0; CRASH
	:: else
	fi;
	dpage = lpage; CRASH;
	devents = levents; CRASH;
	dmissed = lmissed; CRASH;
	dcount = lcount
}

/*
 * packets.c and carry_out(): the packets of a page, or of the part of one, as
 * copied. Its misses in a packet of their own, then what of its events the
 * ledger has not, then the ledger word by word. Nobody else looks at these:
 * one step, with every place in it where the consumer may die.
 */
inline to_disk(num, bef, upto, mis)
{
	atomic {
		CRASH;
		assert(!ffile || (levents == fevents && lmissed == fmissed));
		if
		:: (num < lpage || num == lpage && !LEDGER_OFFSET) && bef + upto <= levents ->
			skip /* already_there() */
		:: else ->
			if
			:: LEDGER_FIRST ->
				dpage = num; dcount = upto; devents = bef + upto; dmissed = mis;
				CRASH
			:: else
			fi;
			if
			:: num == lpage && lcount > 0 -> /* rest_of_page() */
				assert(lcount <= upto);
				assert(lcount == upto || lmissed == mis) /* no miss was reported ahead of its events */
			:: else ->
				assert(bef >= levents && mis >= lmissed); /* or -EBADMSG */
				if
				:: bef > levents || mis > lmissed ->
					nlost = nlost + (bef - levents); greported = greported + (mis - lmissed);
					levents = bef; lmissed = mis;
					ffile = 1; fevents = levents; fmissed = lmissed;
					CRASH
				:: else
				fi
			fi;
			i = levents - bef;
			do
			:: i < upto -> assert(copy[i] == bef + i); ngot++; i++
			:: else -> break
			od;
			i = 0;
			lpage = num; lcount = upto;
			if
			:: bef + upto > levents ->
				levents = bef + upto;
				ffile = 1; fhaspage = 1;
				fpage = lpage; fcount = lcount; fevents = levents; fmissed = lmissed;
				CRASH
			:: else /* an empty page is no packet */
			fi;
			ledger_set()
		fi
	}
}

/* copy[] of a page; in the code the page itself where it was taken. */
inline copy_page(sl, cnt)
{
	i = 0;
	do
	:: i < cnt -> copy[i] = data[(sl) * C + i]; i++
	:: else -> break
	od;
	i = 0
}

/* ring_pool_post(): the queue first, then F. Only this side writes a. */
inline post(sl)
{
	CSTEP; x = Fa; freeq[x % CAP] = sl END;
	CSTEP; Fa = (x + 1) % W; hand = hand & ~(1 << sl); chk(); x = 0 END
}

/* ring_pool_retire() */
inline retire(sl)
{
	CSTEP; retired = retired | (1 << sl); hand = hand & ~(1 << sl) END
}

inline cforget()
{
	h = 0; e = 0; n = 0; s = 0; x = 0; y = 0; ok = 0; mask = 0; best = NONE;
	f = 0; a = 0; t = 0; ts = 0; tg = 0; b = NONE; bef = 0; mis = 0; num = 0; rest = 0;
	i = 0; do :: i < MAXCELLS -> copy[i] = 0; i++ :: else -> break od; i = 0
}

proctype consumer()
{
	byte h, e, n, s, x, y, f, a, t, ts, tg, i, mask, best = NONE, b = NONE, bef, mis, num;
	byte rest;              /* slots found by recovery and not yet posted */
	byte copy[MAXCELLS];
	byte lpage = START, lcount, levents, lmissed; /* private copy of the ledger */
	byte shrinks, grows, parts, stops;
	bit ok;
	byte m_, i_;

	atomic { shrinks = SHRINKS; grows = GROWS; parts = PARTS; stops = STOPS }
start:
	atomic { cforget() }
	do
	/* ring_reader_take(), write, ring_reader_post() */
	:: Tt != wn[hp & 1] % W ->
take:
		CSTEP; t = Tt; ts = Ts; tg = Tg END;
take_head:	CSTEP; h = hp END;
		CSTEP;
			n = wn[h & 1];
			if :: n % HEADW != h || hp != h -> goto take_head :: else fi END;
		atomic {
			CRASH;
			if
			:: !AFTER(n % W, t) || !T_SAME -> ok = 0 /* none full, or stolen meanwhile */
			:: else ->
				num = n - AHEAD(n % W, t);
				s = pgs[num % CAP];
				Tt = (t + 1) % W;
				hand = hand | (1 << s);
				chk();
				ok = 1;
				assert(snum[s] == num) /* check_page() */
			fi
		}
		if
		:: !ok && b == NONE -> goto start
		:: !ok && b != NONE -> s = b; b = NONE
		:: else ->
			if
			:: BATCH && b == NONE && mode == 0 -> b = s; goto take
			:: b != NONE ->
				atomic { CRASH; copy_page(b, send[b]) }
				to_disk(snum[b], sbefore[b], send[b], smiss[b]);
				post(b);
				b = NONE
			:: b == NONE -> skip
			fi
		fi;
		/* drop_oldest(): without a recording, overwrite mode */
		if
		:: shrinks > 0 && mode == 1 -> shrinks--; retire(s); goto start
		:: true
		fi;
		atomic { CRASH; copy_page(s, send[s]) }
		to_disk(snum[s], sbefore[s], send[s], smiss[s]);
		goto back
	/* ring_reader_partial() */
	:: parts > 0 && he > 0 && Tt == wn[hp & 1] % W ->
		parts--;
		READ_HEAD(part_head);
		CSTEP; if :: Tt != n % W || e == 0 -> goto start :: else fi END;
		if :: lpage == n && lcount >= e -> goto start :: else fi;
		CSTEP; num = snum[s]; bef = sbefore[s]; mis = smiss[s] END;
		y = 0;
		do
		:: y < e -> CSTEP; copy[y] = data[s * C + y] END; y++
		:: else -> break
		od;
		CSTEP;
			if
			:: AHEAD(n % W, Tt) < W / 2 || PARTIAL_NO_CHECK -> skip
			:: else -> goto start
			fi END;
		assert(num == n);
		to_disk(num, bef, e, mis);
		goto start
	/* drain_last_misses() at the end of a recording; the next has no file yet */
	:: stops > 0 && Tt == wn[hp & 1] % W ->
		stops--;
		READ_HEAD(stop_head);
		CSTEP; mis = missed; bef = sbefore[s] + e END;
		CSTEP; if :: hp != h || he != e || wn[h & 1] != n -> goto stop_head :: else fi END;
		if
		:: mis > lmissed && (LAST_MISSES || bef == levents) ->
			atomic {
				CRASH;
				greported = greported + (mis - lmissed);
				lmissed = mis; ffile = 1; fevents = levents; fmissed = mis;
				CRASH;
				ledger_set()
			}
		:: else
		fi;
		CSTEP; ffile = 0; fhaspage = 0 END;
		goto start
	/* ring_pool_shrink(): take back the last posted page, keep it */
	:: shrinks > 0 && AHEAD(Fa, Ff) > 0 ->
		shrinks--;
		CSTEP; f = Ff; a = Fa END;
		if :: !AFTER(a, f) -> goto start :: else fi;
		CSTEP; s = freeq[(a + W - 1) % W % CAP] END;
		atomic {
			CRASH;
			if
			:: F_SAME || SHRINK_STORE ->
				Ff = f; Fa = (a + W - 1) % W; hand = hand | (1 << s); chk()
			:: else -> goto start
			fi
		}
		retire(s);
		goto start
	/* ring_pool_grow(): a retired slot comes back */
	:: grows > 0 && retired != 0 ->
		grows--;
		s = 0;
		do :: !(retired & (1 << s)) -> s++ :: else -> break od;
		CSTEP; snum[s] = NONE END;
		CSTEP; retired = retired & ~(1 << s); hand = hand | (1 << s) END;
		post(s);
		goto start
	/* ring_free_dead_owners() */
	:: LOCKED && insec != 0 && dead[insec] -> CSTEP; insec = 0 END; goto start
	:: done == NP && Tt == wn[hp & 1] % W -> goto fin
	od;

back:	/* ring_reader_post(): post, or keep it as the ring shrinks */
	if
	:: shrinks > 0 -> shrinks--; retire(s)
	:: true -> post(s)
	fi;
	if :: rest != 0 -> goto others :: else -> goto start fi;

restart:
	/* recover.c: the ledger, and what the file has beyond it */
	atomic {
		cforget();
		lpage = dpage; lcount = dcount; levents = devents; lmissed = dmissed;
		if :: ffile -> levents = fevents; lmissed = fmissed :: else fi;
		if :: ffile && fhaspage -> lpage = fpage; lcount = fcount :: else fi;
		if
		:: LEDGER_FIRST -> lpage = dpage; lcount = dcount; levents = devents; lmissed = dmissed
		:: else
		fi;
		dpage = lpage; dcount = lcount; devents = levents; dmissed = lmissed
	}
	/* ring_recover.c, list(): what the producers' side holds */
list:
	atomic { cforget() }
	CSTEP; h = hp END;
	CSTEP; n = wn[h & 1]; if :: n % HEADW != h -> goto list :: else fi END;
	CSTEP; f = Ff; a = Fa END;
	CSTEP; t = Tt; ts = Ts; tg = Tg END;
	atomic { x = AHEAD(n % W, t); y = 0 }
	do
	:: y <= x && y < CAP -> CSTEP; mask = mask | (1 << pgs[(t + y) % CAP]); y++ END
	:: else -> break
	od;
	atomic {
		x = AHEAD(a, f); y = 0;
		if :: HALF_POST -> x++ :: else fi
	}
	do
	:: y < x && y < CAP -> CSTEP; mask = mask | (1 << freeq[(f + y) % CAP]); y++ END
	:: else -> break
	od;
	CSTEP;
		x = pgf[n % CAP];
		if :: ts != NONE && tg == TAG -> mask = mask | (1 << ts) :: else fi END;
	if
	:: f == (x + 1) % W -> CSTEP; mask = mask | (1 << freeq[x % CAP]) END
	:: else
	fi;
	CSTEP; if :: !ONE_READ && (hp != h || wn[h & 1] != n) -> goto list :: else fi END;
	CSTEP; if :: !ONE_READ && !F_SAME -> goto list :: else fi END;
	CSTEP; if :: !ONE_READ && !T_SAME -> goto list :: else fi END;
	rest = ((1 << SLOTS) - 1) & ~mask & ~retired;
others:
	atomic {
		best = NONE; i = 0;
		do
		:: i < SLOTS ->
			if
			:: (rest & (1 << i)) && (best == NONE || snum[i] < snum[best]) -> best = i
			:: else
			fi;
			i++
		:: else -> break
		od;
		i = 0; x = 0; y = 0; h = 0; n = 0; f = 0; a = 0; t = 0; ts = 0; tg = 0; mask = 0;
		if :: best == NONE -> goto start :: else fi;
		s = best; best = NONE; rest = rest & ~(1 << s);
		assert(hand & (1 << s)) /* it is ours indeed */
	}
	if
	:: snum[s] != NONE ->
		atomic { CRASH; copy_page(s, send[s]) }
		to_disk(snum[s], sbefore[s], send[s], smiss[s])
	:: else
	fi;
	goto back;

fin:	/* stop: the page that head is in, and the last misses */
	atomic {
		assert(hand == 0); /* none forgotten */
		s = ws[hp & 1];
		copy_page(s, he);
		bef = sbefore[s];
		if
		:: wn[hp & 1] <= lpage && bef + he <= levents -> skip
		:: wn[hp & 1] == lpage && lcount > 0 && bef + he > levents -> skip
		:: else ->
			assert(bef >= levents && smiss[s] >= lmissed);
			nlost = nlost + (bef - levents); levents = bef;
			greported = greported + (smiss[s] - lmissed); lmissed = smiss[s]
		fi;
		i = levents - bef;
		do
		:: i < he -> assert(copy[i] == bef + i); ngot++; levents++; i++
		:: else -> break
		od;
		greported = greported + (missed - lmissed);
		assert(levents == emitted && ngot + nlost == emitted);
		assert(missed == gmissed && greported == gmissed);
		assert(toggled || nlost == 0 || SHRINKS > 0 && MODE == 1); /* discard overwrites nothing */
		assert(kills < KILLS || emitted + missed + elsewhere == EV + (NP - 1) * EV2);
		chk()
	}
}

proctype tool()
{
	atomic { mode = 1 - mode; toggled = 1 }
}

init {
	byte j;

	atomic {
		c_code {
			NP = param("NP", 2); EV = param("EV", 2); EV2 = param("EV2", EV);
			SLOTS = param("SLOTS", 2); C = param("C", 1); CAP = SLOTS > 2 ? 8 : 4;
			BIG = param("BIG", 0); BATCH = param("BATCH", 0); LOCKED = param("LOCKED", 0);
			MODE = param("MODE", 0); TOGGLE = param("TOGGLE", 0);
			GAPS = param("GAPS", 0);
			KILLS = param("KILLS", 0); CRASHES = param("CRASHES", 0);
			SHRINKS = param("SHRINKS", 0); GROWS = param("GROWS", SHRINKS);
			PARTS = param("PARTS", 0); STOPS = param("STOPS", 0);
			STEAL_IGNORED = param("STEAL_IGNORED", 0);
			TAKE_IGNORED = param("TAKE_IGNORED", 0);
			STEAL_OPEN = param("STEAL_OPEN", 0);
			STALE_TAG = param("STALE_TAG", 0);
			HEAD_FIRST = param("HEAD_FIRST", 0);
			PLAIN_STORES = param("PLAIN_STORES", 0);
			STEAL_F_NOT_COMPARED = param("STEAL_F_NOT_COMPARED", 0);
			OPEN_T_NOT_COMPARED = param("OPEN_T_NOT_COMPARED", 0);
			MISS_F_NOT_COMPARED = param("MISS_F_NOT_COMPARED", 0);
			MISSED_NOT_COMPARED = param("MISSED_NOT_COMPARED", 0);
			NUMBER_NOT_COMPARED = param("NUMBER_NOT_COMPARED", 0);
			NUMBER_EARLY = param("NUMBER_EARLY", 0);
			NO_SEAL = param("NO_SEAL", 0);
			PARTIAL_NO_CHECK = param("PARTIAL_NO_CHECK", 0);
			HALF_POST = param("HALF_POST", 0);
			ONE_READ = param("ONE_READ", 0);
			SHRINK_STORE = param("SHRINK_STORE", 0);
			LEDGER_FIRST = param("LEDGER_FIRST", 0);
			LEDGER_OFFSET = param("LEDGER_OFFSET", 0);
			LAST_MISSES = param("LAST_MISSES", 0);
		};
		assert(SLOTS <= MAXSLOTS && C <= MAXCELLS && NP <= 3);
		mode = MODE; toggled = MODE; kills = KILLS; crashes = CRASHES; gaps = GAPS;
		hp = START % HEADW; wn[hp] = START; ws[hp] = 0; wn[1 - hp] = START - 1;
		pgs[START % CAP] = 0; pgf[START % CAP] = FSTART;
		Ff = FSTART; Fa = FSTART; Tt = START % W; Ts = NONE;
		snum[0] = START;
		j = 1;
		do
		:: j < SLOTS -> snum[j] = NONE; freeq[Fa % CAP] = j; Fa = (Fa + 1) % W; j++
		:: else -> break
		od;
		j = 0;
		dpage = START;
		run producer(1, EV);
		if :: NP > 1 -> run producer(2, EV2) :: else fi;
		if :: NP > 2 -> run producer(3, EV2) :: else fi;
		if :: TOGGLE -> run tool() :: else fi;
		run consumer()
	}
}
