-- The shared log of Windlass ledgers, format 1. One row of `ledger` for each ledger: its lock decides the order.
create table windlass.ledger (
    name text primary key,
    head bigint not null default 0,
    last_batch text not null default '',
    created_at timestamptz not null default clock_timestamp()
);

create table windlass.batch (
    ledger text not null references windlass.ledger (name),
    position bigint not null,
    id text not null,
    lines bytea not null,
    written_at timestamptz not null default clock_timestamp(),
    written_by text not null default session_user,
    primary key (ledger, position)
);

create function windlass.clock() returns bigint
    language sql volatile
    set search_path = pg_catalog, pg_temp
    as $$ select (extract(epoch from clock_timestamp()) * 1000000)::bigint $$;

-- The head of the log, then the batches after a position, up to about `in_max` bytes. `diverged` if the log does not
-- have the batch at that position; no row if there is no such ledger.
create function windlass.read(in_ledger text, in_after bigint, in_batch text, in_max bigint)
    returns table (kind text, at bigint, id text, lines bytea, clock bigint)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    as $$
declare
    known windlass.ledger;
begin
    select * into known from windlass.ledger l where l.name = in_ledger;
    if not found then
        return;
    end if;
    return query select 'head', known.head, known.last_batch, null::bytea, windlass.clock();
    if in_after > 0 and not exists (
        select from windlass.batch b where b.ledger = in_ledger and b.position = in_after and b.id = in_batch
    ) then
        return query select 'diverged', in_after, in_batch, null::bytea, windlass.clock();
        return;
    end if;
    -- Not beyond the head that was just returned: a batch may have been appended since.
    return query
        select 'batch', t.position, t.id, t.lines, null::bigint
        from (
            select b.position, b.id, b.lines,
                sum(octet_length(b.lines)) over (order by b.position) - octet_length(b.lines) as before
            from windlass.batch b
            where b.ledger = in_ledger and b.position > in_after and b.position <= known.head
            order by b.position
            limit 5000
        ) t
        where t.before < in_max
        order by t.position;
end
$$;

-- Appends a batch if the log ends at the expected position: `done` with the new head. Otherwise as `windlass.read`.
create function windlass.append(
    in_ledger text, in_after bigint, in_batch text, in_id text, in_lines bytea, in_max bigint
)
    returns table (kind text, at bigint, id text, lines bytea, clock bigint)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    as $$
declare
    new_head bigint;
begin
    update windlass.ledger l set head = l.head + 1, last_batch = in_id
        where l.name = in_ledger and l.head = in_after and l.last_batch = in_batch
        returning l.head into new_head;
    if not found then
        return query select * from windlass.read(in_ledger, in_after, in_batch, in_max);
        return;
    end if;
    insert into windlass.batch (ledger, position, id, lines) values (in_ledger, new_head, in_id, in_lines);
    perform pg_notify('windlass', in_ledger || ' ' || new_head);
    return query select 'done', new_head, in_id, null::bytea, windlass.clock();
end
$$;

-- As `windlass.read`, with the lock of the ledger until the end of the transaction.
create function windlass.seize(in_ledger text, in_after bigint, in_batch text, in_max bigint)
    returns table (kind text, at bigint, id text, lines bytea, clock bigint)
    language plpgsql volatile security definer
    set search_path = pg_catalog, pg_temp
    as $$
begin
    perform from windlass.ledger l where l.name = in_ledger for update;
    return query select * from windlass.read(in_ledger, in_after, in_batch, in_max);
end
$$;

create function windlass.create_ledger(in_ledger text) returns void
    language sql volatile security definer
    set search_path = pg_catalog, pg_temp
    as $$ insert into windlass.ledger (name) values (in_ledger) on conflict do nothing $$;

revoke all on all tables in schema windlass from public;
revoke all on all functions in schema windlass from public;
