// A table that is loaded page by page, with its states.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { Page, PageRequest } from "@submissions/shared/console";
import type { ReactNode } from "react";
import "../styles/pages.css";
import { MoreRows, Waiting } from "./states.tsx";

interface TableProps<Row> {
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly cells: (row: Row) => readonly ReactNode[];
  readonly isBusy?: boolean;
  /** The rows are those of a former filter. */
  readonly isOld?: boolean;
}

export const Table = <Row,>({ label, columns, rows, keyOf, cells, isBusy, isOld }: TableProps<Row>) => (
  <table className={isOld ? "table old" : "table"} aria-label={label} aria-busy={isBusy}>
    <thead>
      <tr>
        {columns.map((column, index) => (
          <th key={index} scope="col">
            {column === "" ? <span className="unseen">Actions</span> : column}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {cells(row).map((cell, index) => (
            <td key={index} data-label={columns[index]}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

interface Props<Row> extends Omit<TableProps<Row>, "rows" | "isBusy" | "isOld"> {
  readonly queryKey: readonly unknown[];
  readonly load: (page: PageRequest, signal: AbortSignal) => Promise<Page<Row>>;
  readonly empty: ReactNode;
}

export function TableList<Row>({ queryKey, load, empty, ...table }: Props<Row>) {
  const list = useInfiniteQuery({
    queryKey: [...queryKey],
    queryFn: ({ pageParam, signal }) => load(pageParam === null ? {} : { after: pageParam }, signal),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? [];
  if (list.isPending || (list.isError && rows.length === 0)) return <Waiting query={list} rows={8} />;
  return (
    <>
      {rows.length === 0 && !list.hasNextPage ? (
        empty
      ) : (
        <Table {...table} rows={rows} isBusy={list.isFetching} isOld={list.isPlaceholderData} />
      )}
      <MoreRows list={list} label="Show older" />
    </>
  );
}
