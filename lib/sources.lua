--- Where the numbers of lib/ come from: every source key used by lib/gpus, lib/links and
-- lib/arrivals, with title, publisher and date of publication. Owns citations and nothing else.
-- `checked = true` says that the headline numbers taken from it were compared, in November 2026,
-- with a public copy of the document, a quotation of it or an independent table of the same
-- figures; the others are cited as published and wait for a second look. Read by tandem.catalogue.

---@class tandem.Source
---@field title string
---@field publisher string
---@field date string      year, year-month or year-month-day of publication
---@field document? string document number
---@field checked boolean
---@field note? string

---@type table<string, tandem.Source>
return {
  v100_datasheet = {
    title = "NVIDIA V100 Tensor Core GPU, datasheet", publisher = "NVIDIA",
    document = "1165301-r5", date = "2020", checked = true,
  },
  t4_datasheet = {
    title = "NVIDIA T4 Tensor Core GPU, datasheet", publisher = "NVIDIA", date = "2019",
    checked = true,
  },
  a10_datasheet = {
    title = "NVIDIA A10 Tensor Core GPU, datasheet", publisher = "NVIDIA", date = "2021",
    checked = true,
  },
  a10g_datasheet = {
    title = "NVIDIA A10G Tensor Core GPU for AWS G5 instances, datasheet", publisher = "NVIDIA",
    date = "2022-02-17", checked = true,
  },
  a10g_nvidia_smi = {
    title = "GPU instances on AWS: power limit reported by nvidia-smi", publisher = "S. Prasanna",
    date = "2022", checked = true,
  },
  a30_datasheet = {
    title = "NVIDIA A30 Tensor Core GPU, datasheet", publisher = "NVIDIA", date = "2021",
    checked = false,
  },
  a100_datasheet = {
    title = "NVIDIA A100 Tensor Core GPU, datasheet", publisher = "NVIDIA",
    document = "2188504", date = "2021", checked = true,
  },
  a100_40_datasheet = {
    title = "NVIDIA A100 Tensor Core GPU, datasheet (40 GB)", publisher = "NVIDIA",
    document = "1758950-r4", date = "2021-06", checked = true,
  },
  ada_whitepaper = {
    title = "NVIDIA Ada GPU Architecture, whitepaper V2.01 (with L40 and L4)",
    publisher = "NVIDIA", date = "2023", checked = true,
  },
  l4_datasheet = {
    title = "NVIDIA L4 Tensor Core GPU, datasheet", publisher = "NVIDIA",
    date = "2023", checked = true,
  },
  l40_datasheet = {
    title = "NVIDIA L40 GPU, datasheet", publisher = "NVIDIA", date = "2022", checked = true,
  },
  l40s_datasheet = {
    title = "NVIDIA L40S GPU, datasheet", publisher = "NVIDIA", date = "2023", checked = true,
  },
  rtx6000ada_datasheet = {
    title = "NVIDIA RTX 6000 Ada Generation, datasheet", publisher = "NVIDIA", date = "2023",
    checked = true,
  },
  hopper_whitepaper = {
    title = "NVIDIA H100 Tensor Core GPU Architecture, whitepaper V1.04, tables 1 and 3",
    publisher = "NVIDIA", date = "2023", checked = true,
  },
  h100_pcie_brief = {
    title = "NVIDIA H100 PCIe GPU, product brief", publisher = "NVIDIA",
    document = "PB-11133-001_v02", date = "2022-11-30", checked = true,
  },
  h100_page = {
    title = "NVIDIA H100 Tensor Core GPU, product page (H100 SXM and H100 NVL)",
    publisher = "NVIDIA", date = "2026-04", checked = true,
  },
  h100_nvl_brief = {
    title = "NVIDIA H100 NVL GPU, product brief and datasheet", publisher = "NVIDIA",
    date = "2024", checked = true,
  },
  h200_datasheet = {
    title = "NVIDIA H200 Tensor Core GPU, datasheet", publisher = "NVIDIA", date = "2024",
    checked = true,
  },
  blackwell_brief = {
    title = "NVIDIA Blackwell Architecture, technical brief (HGX B200 at 1,000 W)",
    publisher = "NVIDIA", date = "2024", checked = true,
  },
  dgx_b200_datasheet = {
    title = "NVIDIA DGX B200, datasheet (8 GPUs: 1,440 GB, 64 TB/s, 72 PFLOPS dense FP4)",
    publisher = "NVIDIA", date = "2024", checked = true,
  },
  rtxpro6000_datasheet = {
    title = "NVIDIA RTX PRO 6000 Blackwell Workstation Edition, datasheet", publisher = "NVIDIA",
    document = "3519208", date = "2025", checked = true,
  },
  mi250x_datasheet = {
    title = "AMD Instinct MI250X accelerator, data sheet", publisher = "AMD", date = "2021-11",
    checked = true,
  },
  mi300x_datasheet = {
    title = "AMD Instinct MI300X accelerator, data sheet", publisher = "AMD", date = "2023-12",
    checked = true,
  },
  pcie_base = {
    title = "PCI Express Base Specification: 8, 16, 32 GT/s a lane and direction, 128b/130b",
    publisher = "PCI-SIG", date = "3.0 2010, 4.0 2017, 5.0 2019", checked = true,
  },
  nvbandwidth_readme = {
    title = "nvbandwidth, README: host_to_device_memcpy_ce, 12.36 GB/s", publisher = "NVIDIA",
    date = "2022", checked = true,
    note = "the machine is not named; the figure is that of 16 lanes of PCIe 3.0",
  },
  nvbandwidth_a100 = {
    title = "NVIDIA developer forum, topic 352186: nvbandwidth 0.8 on 8 x A100-SXM4-80GB, "
      .. "24.81 GB/s",
    publisher = "NVIDIA developer forum", date = "2025", checked = true,
  },
  nvbandwidth_blog = {
    title = "NVIDIA NVbandwidth: your essential tool for measuring GPU interconnect and memory "
      .. "performance: host_to_device_memcpy_ce, 55.63 GB/s",
    publisher = "NVIDIA technical blog", date = "2025", checked = true,
  },
  vidur_a100 = {
    title = "vidur, profiled NCCL send_recv and all_reduce on DGX A100 (commit 7d47513)",
    publisher = "Microsoft Research", date = "2024", checked = true,
  },
  vidur_h100 = {
    title = "vidur, profiled NCCL send_recv and all_reduce on DGX H100 (commit 7d47513)",
    publisher = "Microsoft Research", date = "2024", checked = true,
  },
  nsys_h100 = {
    title = "nsys-ai, Nsight Systems capture of 2 x H100, one second (commit ab196ea2)",
    publisher = "nsys-ai", date = "2026", checked = true,
  },
  ibta = {
    title = "InfiniBand Architecture Specification, volume 1: LRH 8, BTH 12, ICRC 4, VCRC 2 bytes",
    publisher = "InfiniBand Trade Association", date = "2020", checked = false,
  },
  ieee_802_3 = {
    title = "IEEE Std 802.3: preamble 8, header 14, FCS 4, gap 12 bytes a frame",
    publisher = "IEEE", date = "2022", checked = false,
  },
  mfu = {
    title = "inference-sim, hardware_config.json: prefill MFU H100 0.45, A100 0.38, L40S 0.32 "
      .. "(commit f90a1e3)",
    publisher = "inference-sim", date = "2026", checked = true,
  },
  llama31_8b = {
    title = "Llama 3.1 8B: 8.03 billion parameters", publisher = "Meta", date = "2024-07",
    checked = true,
  },
  aws_g5 = {
    title = "g5.xlarge (one A10G), on demand, as listed by the Arcee AI benchmark pages",
    publisher = "Amazon Web Services", date = "2024", checked = true,
  },
  mercatus = {
    title = "Cloud GPU pricing: on demand in May 2026, lowest to highest provider",
    publisher = "Mercatus", date = "2026-05", checked = true,
  },
  b200_price = {
    title = "B200 on demand: Lyceum, 11 March (4.50 to 6.00) and Spheron, 17 March 2026 (6.03)",
    publisher = "Lyceum Technologies; Spheron", date = "2026-03", checked = true,
  },
  spheron = {
    title = "Spheron on demand, 17 March 2026: a GB200 superchip, which is two GPUs, at 9.08",
    publisher = "Spheron", date = "2026-03-18", checked = true,
    note = "divided by 2; the Grace CPU is in it",
  },
  ornn = {
    title = "B200 against B300: B300 on demand at neoclouds, 5.00 to 7.25", publisher = "Ornn",
    date = "2026", checked = true,
  },
  dgx_a100_datasheet = {
    title = "NVIDIA DGX A100, datasheet: 8 GPUs, NVSwitch, 8 single-port ConnectX-6, 6.5 kW",
    publisher = "NVIDIA", date = "2020", checked = true,
  },
  dgx_h100_datasheet = {
    title = "NVIDIA DGX H100, datasheet: 8 GPUs, 7.2 TB/s of NVSwitch, 8 ConnectX-7, 10.2 kW",
    publisher = "NVIDIA", date = "2023", checked = true,
  },
  dgx_h200_datasheet = {
    title = "NVIDIA DGX H200, datasheet: 8 GPUs, 4 OSFP ports for 8 ConnectX-7, 10.2 kW",
    publisher = "NVIDIA", date = "2024", checked = true,
  },
  mi300x_platform = {
    title = "AMD Instinct MI300X platform, data sheet: 8 OAM, fully connected, 448 GB/s each way",
    publisher = "AMD", date = "2023-12", checked = true,
  },
  gpu_blog = {
    title = "gpu.blog, provider listings: H100 NVL, MI300X, L40S",
    publisher = "gpu.blog", date = "2026", checked = true,
  },
  azure_llm_2023 = {
    title = "Azure LLM inference trace 2023 (AzurePublicDataset, commit b469a11, CC BY 4.0)",
    publisher = "Microsoft", date = "2023-11-16", checked = true,
  },
  gb200_page = {
    title = "NVIDIA GB200 NVL72, specifications", publisher = "NVIDIA", date = "2024",
    checked = false, note = "72 GPUs: divided by 72; FLOP/s printed with sparsity, halved",
  },
  hgx_b300_page = {
    title = "NVIDIA HGX platform: HGX B300, specifications", publisher = "NVIDIA", date = "2025",
    checked = false, note = "8 GPUs: divided by 8; FP8 and below printed with sparsity, halved",
  },
  gb300_page = {
    title = "NVIDIA GB300 NVL72, specifications", publisher = "NVIDIA", date = "2025",
    checked = false, note = "72 GPUs: divided by 72; FP8 and below printed with sparsity, halved",
  },
  h20_press = {
    title = "H20: figures as the press had them (148 dense FP16, 296 FP8, 96 GB, 4.0 TB/s, 400 W)",
    publisher = "several", date = "2024", checked = true,
    note = "NVIDIA has no public datasheet; independent tables agree",
  },
  gh200_datasheet = {
    title = "NVIDIA GH200 Grace Hopper Superchip, datasheet: 96 GB HBM3 at 4 TB/s, C2C 900 GB/s",
    publisher = "NVIDIA", date = "2023", checked = true,
    note = "FLOP/s printed with sparsity, halved; as H100 SXM",
  },
  gh200_measured = {
    title = "Harnessing integrated CPU-GPU system memory for HPC: a first look into Grace Hopper",
    publisher = "Schieffer et al., ICPP 2024", date = "2024-08", checked = false,
  },
  rtxpro6000s_page = {
    title = "NVIDIA RTX PRO 6000 Blackwell Server Edition, product page", publisher = "NVIDIA",
    date = "2025", checked = false,
  },
  mi325x_datasheet = {
    title = "AMD Instinct MI325X accelerator, data sheet", publisher = "AMD", date = "2024-10",
    checked = true,
  },
  mi355x_datasheet = {
    title = "AMD Instinct MI355X GPU, data sheet: 288 GB at 8 TB/s, 1,400 W, 5.0 PFLOPS of FP8",
    publisher = "AMD", date = "2025-06", checked = true,
    note = "memory, power and FP8 compared; the rates beside it follow from units and clock",
  },
  mi325x_price = {
    title = "MI325X on demand: TensorWave 1.95 (Cliffcenter, 18 May 2026) to 2.25 (Awesome Agents)",
    publisher = "Cliffcenter; Awesome Agents", date = "2026-05", checked = true,
  },
  tpu_v5e_page = {
    title = "Cloud TPU documentation, TPU v5e: key chip and pod specifications",
    publisher = "Google", date = "2024", checked = true,
  },
  tpu7x_page = {
    title = "Cloud TPU documentation, TPU7x (Ironwood): specifications beside v5p and v6e",
    publisher = "Google", date = "2025", checked = true,
    note = "int8 of the v6e from its own page",
  },
  tpu_price = {
    title = "Cloud TPU pricing, on demand in US regions, a chip and hour", publisher = "Google",
    date = "2025", checked = false,
  },
  gaudi3_hotchips = {
    title = "Intel Gaudi 3 AI Accelerator: architected for Gen AI (Hot Chips)",
    publisher = "Intel", date = "2024-08", checked = true,
    note = "Gaudi 2 stands beside it; its FP8 rate is from Intel's white paper",
  },
  gaudi3_paper = {
    title = "Intel Gaudi 3 AI Accelerator, white paper: 24 ports, 21 of them in a node of eight",
    publisher = "Intel", date = "2024", checked = false,
  },
  techbytes = {
    title = "Serverless GPU pricing matrix, 7 May 2026: L4 at Modal 0.7992, A10 at Lambda 0.86",
    publisher = "TechBytes", date = "2026-05-07", checked = true,
  },
  collectives_l40s = {
    title = "aiconfigurator, l40s: custom_allreduce of vLLM in CUDA graphs, 2 to 8 GPUs "
      .. "(commit 095f58a51, Apache-2.0)",
    publisher = "NVIDIA", date = "2026", checked = true,
    note = "sizes there are in elements of 2 bytes",
  },
  collectives_rtxpro6000s = {
    title = "aiconfigurator, rtx_pro_6000_server: custom_allreduce of vLLM 0.24 in CUDA graphs, "
      .. "2 to 8 GPUs, and measured products (commit 095f58a51, Apache-2.0)",
    publisher = "NVIDIA", date = "2026", checked = true,
    note = "sizes there are in elements of 2 bytes; NCCL and TensorRT-LLM agree for large ones",
  },
  collectives_rtxpro6000 = {
    title = "Qwen3-32B at TP 2 on a pair of RTX PRO 6000 without peer access (vLLM 0.19), replayed "
      .. "by LLMServingSim 2: the all-reduce that explains its steps",
    publisher = "LLMServingSim", date = "2026", checked = false,
    note = "16 GB/s and 20 us follow from one run; they were not measured by themselves",
  },
}
